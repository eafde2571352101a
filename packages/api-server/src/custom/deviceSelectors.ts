import type { CheckExpression, FieldErrors } from "@rollcall/api/validation"
import {
  ANY,
  BOOL,
  type CelType,
  CompileFault,
  compile,
  formatType,
  mapOf,
  objectOf,
  QUANTITY,
  STRING,
  sized
} from "@rollcall/cel"

/*
 * The expressions that select devices. Upstream: staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go, and the
 * limits of staging/src/k8s.io/api/resource/v1/types.go.
 */

const MAX_COST = 1_000_000
const MAX_PROPERTIES = 32

const domain = sized(STRING, 63, 2)
const identifier = sized(STRING, 32, 2)

const propertiesOf = (value: CelType): CelType =>
  mapOf(domain, mapOf(identifier, value, MAX_PROPERTIES), MAX_PROPERTIES)

const device = {
  ...objectOf(
    new Map([
      ["driver", sized(STRING, 63, 2)],
      ["attributes", propertiesOf(sized(ANY, 64, 1))],
      ["capacity", propertiesOf(QUANTITY)],
      ["allowMultipleAllocations", sized(BOOL, 1, 4)]
    ]),
    2
  ),
  name: "kubernetes.DRADevice"
}

/** Returns why an expression that selects devices is not valid. */
export const checkExpression: CheckExpression = (expression, at) => {
  const compiled = compile(expression, { device }, device, { bindings: true, sizedVariable: "device" })
  const invalid = (detail: string): FieldErrors => [
    { type: "FieldValueInvalid", field: at, badValue: expression, detail }
  ]
  if (compiled instanceof CompileFault) return invalid(compiled.described)
  const type = formatType(compiled.type)
  if (type !== BOOL.name && type !== ANY.name) {
    return invalid(`must evaluate to bool or the unknown type, not ${type}`)
  }
  return compiled.maxCost > MAX_COST
    ? [{ type: "FieldValueForbidden", field: at, badValue: "", detail: "too complex, exceeds cost limit" }]
    : []
}
