import { isIP } from "node:net"
import { Environment } from "@marcbachmann/cel-js"
import { hasFormat } from "./formats.ts"

type Comparable = bigint | number | string

/** The element that no other one comes before. Lists without elements have none, as in Kubernetes: the rule fails. */
const first = (
  list: ReadonlyArray<Comparable>,
  before: (left: Comparable, right: Comparable) => boolean
): Comparable => {
  const [head, ...rest] = list
  if (head === undefined) throw new Error("called on an empty list")
  return rest.reduce((best, value) => (before(value, best) ? value : best), head)
}

const sum = (list: ReadonlyArray<bigint | number>): bigint | number =>
  list.every((value) => typeof value === "bigint")
    ? list.reduce((total, value) => total + value, 0n)
    : list.reduce<number>((total, value) => total + Number(value), 0)

/**
 * What rules may call, beyond CEL itself. Quantities, addresses and URLs as values are not there.
 * Upstream: apiserver/pkg/cel/library; cel-go/ext/strings.go.
 */
export const environment: Environment = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false
})
  .registerFunction(
    "string.find(string): string",
    (text: string, pattern: string) => text.match(new RegExp(pattern))?.[0] ?? ""
  )
  .registerFunction(
    "string.findAll(string): list",
    (text: string, pattern: string) => text.match(new RegExp(pattern, "g")) ?? []
  )
  .registerFunction("string.replace(string, string): string", (text: string, from: string, to: string) =>
    text.replaceAll(from, () => to)
  )
  .registerFunction("list.isSorted(): bool", (list: ReadonlyArray<Comparable>) =>
    list.every((value, index) => index === 0 || (list[index - 1] ?? value) <= value)
  )
  .registerFunction("list.sum(): dyn", sum)
  .registerFunction("list.min(): dyn", (list: ReadonlyArray<Comparable>) => first(list, (left, right) => left < right))
  .registerFunction("list.max(): dyn", (list: ReadonlyArray<Comparable>) => first(list, (left, right) => left > right))
  .registerFunction("list.indexOf(dyn): int", (list: ReadonlyArray<unknown>, value: unknown) =>
    BigInt(list.indexOf(value))
  )
  .registerFunction("list.lastIndexOf(dyn): int", (list: ReadonlyArray<unknown>, value: unknown) =>
    BigInt(list.lastIndexOf(value))
  )
  .registerFunction("isURL(string): bool", (text: string) => URL.canParse(text))
  .registerFunction("isIP(string): bool", (text: string) => isIP(text) !== 0)
  .registerFunction("isCIDR(string): bool", (text: string) => hasFormat("cidr", text))
  .registerFunction("isQuantity(string): bool", (text: string) => hasFormat("quantity", text))

/** For rules that are asked without a state before, too: the library has to know that it is an optional value. */
export const optionalEnvironment: Environment = environment.clone().registerVariable("oldSelf", "optional")
