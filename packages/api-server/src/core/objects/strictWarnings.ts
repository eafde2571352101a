/**
 * Returns the warnings for strict decoding errors: each line of an error of the YAML decoder is a warning. Upstream:
 * apiserver/pkg/endpoints/handlers/rest.go, parseYAMLWarnings.
 */
export const strictWarnings = (errors: ReadonlyArray<string>): ReadonlyArray<string> =>
  errors.flatMap((error) => {
    const lines = /^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n(.*)$/s.exec(error)?.[1]
    return lines === undefined ? [error] : lines.split("\n").map((line) => line.trim())
  })
