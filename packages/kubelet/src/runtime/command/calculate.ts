const MAX_TOKENS = 100

const operators: Readonly<Record<string, readonly [rank: number, apply: (left: number, right: number) => number]>> = {
  "==": [1, (left, right) => Number(left === right)],
  "!=": [1, (left, right) => Number(left !== right)],
  "<": [2, (left, right) => Number(left < right)],
  "<=": [2, (left, right) => Number(left <= right)],
  ">": [2, (left, right) => Number(left > right)],
  ">=": [2, (left, right) => Number(left >= right)],
  "+": [3, (left, right) => left + right],
  "-": [3, (left, right) => left - right],
  "*": [4, (left, right) => left * right],
  "/": [4, (left, right) => Math.trunc(left / right)],
  "%": [4, (left, right) => left % right]
}

/** Returns the result of the expression in `$((…))`; undefined for one that is not modelled, or has no whole result. */
export const calculate = (text: string, variable: (name: string) => string | undefined): number | undefined => {
  const tokens = text.match(/\d+|\$?[A-Za-z_]\w*|[=!<>]=|[-+*/%()<>]|\S/g) ?? []
  if (tokens.length > MAX_TOKENS) return undefined
  let at = 0
  const operand = (): number => {
    const token = tokens[at++] ?? ""
    if (token === "-") return -operand()
    if (token === "(") {
      const inner = expression(0)
      return tokens[at++] === ")" ? inner : Number.NaN
    }
    if (/^\d+$/.test(token)) return Number(token)
    if (!/^\$?[A-Za-z_]\w*$/.test(token)) return Number.NaN
    const value = variable(token.replace("$", ""))
    return value !== undefined && /^-?\d+$/.test(value) ? Number(value) : value === "" ? 0 : Number.NaN
  }
  const expression = (rank: number): number => {
    let left = operand()
    for (;;) {
      const token = tokens[at] ?? ""
      const [own, apply] = (Object.hasOwn(operators, token) ? operators[token] : undefined) ?? []
      if (own === undefined || apply === undefined || own <= rank) return left
      at++
      left = apply(left, expression(own))
    }
  }
  const result = expression(0)
  return at === tokens.length && Number.isSafeInteger(result) ? result + 0 : undefined
}
