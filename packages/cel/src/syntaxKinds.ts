/** The kinds of tokens in the order in which errors list them. */
const order =
  "== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER".split(
    " "
  )

export const operands = "[ { ( . - ! true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER".split(" ")
export const binary: ReadonlySet<string> = new Set("== != in < <= >= > && || - + * / %".split(" "))
/** What may follow an operand, wherever it is. */
export const afterOperand: ReadonlySet<string> = new Set([...binary, "?", "[", "."])

/** Returns a set of kinds as errors write it. */
export const listed = (kinds: ReadonlyArray<string>): string => {
  const names = order.filter((kind) => kinds.includes(kind)).map((kind) => (/^[A-Z]/.test(kind) ? kind : `'${kind}'`))
  return names.length === 1 ? (names[0] ?? "") : `{${names.join(", ")}}`
}

/** Words that are values, and no names. */
export const values: ReadonlySet<string> = new Set(["true", "false", "null"])

/** Names that no variable and no function may have. Upstream: cel-go/parser/parser.go, reservedIds. */
export const reservedNames: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" ")
)
