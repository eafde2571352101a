import type { DocumentOptions, ParseOptions, SchemaOptions } from "yaml"

const TIMESTAMP = "tag:yaml.org,2002:timestamp"

/**
 * YAML 1.1 as Kubernetes' components read their configuration: `yes`, `on` and `n` are switches, `010` is octal; but times of day
 * and dates are texts. Upstream: sigs.k8s.io/yaml.
 */
const ofGo: DocumentOptions & SchemaOptions = {
  version: "1.1",
  customTags: (tags) =>
    tags.filter(
      (tag) => typeof tag === "string" || (tag.tag !== TIMESTAMP && !("format" in tag && tag.format === "TIME"))
    )
}

export type YamlVersion = "1.1" | "1.2"

/** How a YAML text is parsed, whether for its values or for their lines. */
export const yamlOptions = (version: YamlVersion): ParseOptions & DocumentOptions & SchemaOptions => ({
  ...(version === "1.1" ? ofGo : { version }),
  prettyErrors: true,
  stringKeys: true
})
