// YAML as sigs.k8s.io/yaml reads it.

export { readYaml, readYamlInSteps, type YamlRead } from "./readYaml.ts"

// YAML as sigs.k8s.io/yaml writes it.

export { writeYaml, writeYamlInSteps } from "./writeYaml.ts"
