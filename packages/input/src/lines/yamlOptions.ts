import type { DocumentOptions, ParseOptions, SchemaOptions } from "yaml"

const TIMESTAMP = "tag:yaml.org,2002:timestamp"

/**
 * YAML 1.1 as Kubernetes' components read their configuration: `yes`, `on` and `n` are booleans, and `010` is octal,
 * but times of day and dates are texts. Upstream: sigs.k8s.io/yaml.
 */
const yaml11OfGo: DocumentOptions & SchemaOptions = {
  version: "1.1",
  customTags: (tags) =>
    tags.filter(
      (tag) => typeof tag === "string" || (tag.tag !== TIMESTAMP && !("format" in tag && tag.format === "TIME"))
    )
}

export type YamlVersion = "1.1" | "1.2"

/** The options of the YAML parser, for values as for their lines. Go's parser knows merge keys (`<<: *base`) in any version. */
export const yamlOptions = (version: YamlVersion): ParseOptions & DocumentOptions & SchemaOptions => ({
  ...(version === "1.1" ? yaml11OfGo : { version }),
  merge: true,
  prettyErrors: true,
  stringKeys: true
})
