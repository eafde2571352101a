const reserved: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return".split(" ")
)

/**
 * What rules call a field: names that CEL cannot say have another; undefined where there is none.
 * Upstream: apiserver/pkg/cel/escaping.go, Escape.
 */
export const celName = (name: string): string | undefined => {
  if (reserved.has(name)) return `__${name}__`
  if (/^[A-Za-z_]\w*$/.test(name) && !name.includes("__")) return name
  const text = name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__")
  return /^[A-Za-z_]\w*$/.test(text) ? text : undefined
}
