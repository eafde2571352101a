import { type Device, parseQuantity } from "@rollcall/api"
import * as Result from "effect/Result"
import { CompileFault, compile } from "./compile.ts"
import type { Program } from "./evaluate.ts"
import { QUANTITY, Quantity } from "./library/quantity.ts"
import { readSemver } from "./library/semver.ts"
import { CostExceeded, Meter } from "./Meter.ts"
import { ANY, BOOL, type CelType, formatType, mapOf, objectOf, STRING, sized } from "./types.ts"
import { CelError, EntryMap, type Key, typeName, type Value } from "./values.ts"

/*
 * The expressions that select devices. Upstream: staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go, and the
 * limits of staging/src/k8s.io/api/resource/v1/types.go.
 */

/** The most that a selector may cost, both by its estimate and when it runs. */
export const MAX_SELECTOR_COST = 1_000_000
const MAX_PROPERTIES = 32

const domain = sized(STRING, 63, 2)
const identifier = sized(STRING, 32, 2)

const propertiesOf = (value: CelType): CelType =>
  mapOf(domain, mapOf(identifier, value, MAX_PROPERTIES), MAX_PROPERTIES)

const deviceType = {
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

/** A selector that can be evaluated. */
export interface DeviceSelectorProgram {
  readonly program: Program
  readonly maxCost: number
}

/** Why a selector is not valid. */
export interface DeviceSelectorFault {
  readonly message: string
  /** Whether the expression is compiled and its constants cannot be evaluated. */
  readonly isInternal: boolean
}

/** Compiles a selector, or returns what is wrong with it. */
export const compileDeviceSelector = (expression: string): DeviceSelectorProgram | DeviceSelectorFault => {
  const compiled = compile(expression, { device: deviceType }, deviceType, { bindings: true, sizedVariable: "device" })
  const type = compiled.type === undefined ? BOOL.name : formatType(compiled.type)
  if (type !== BOOL.name && type !== ANY.name) {
    return { message: `must evaluate to bool or the unknown type, not ${type}`, isInternal: false }
  }
  if (!(compiled instanceof CompileFault)) return compiled
  return { message: compiled.described, isInternal: compiled.phase === "instantiation" }
}

const noProperties = new EntryMap(new Map())

/** Properties by domain. An unknown domain has none, so that an expression need not test for it. */
class Properties extends EntryMap {
  override get(key: Key): Value {
    return super.get(key) ?? noProperties
  }
  override has(key: Key): boolean {
    return this.entries.has(key)
  }
}

const attributeValue = ({ bool, int, string, version }: NonNullable<Device["attributes"]>[string]): Value => {
  if (int !== undefined) return BigInt(int)
  if (bool !== undefined) return bool
  if (string !== undefined) return string
  if (version === undefined) return new CelError("unsupported attribute value")
  const parsed = readSemver(version, false)
  return parsed instanceof CelError ? new CelError(`parse semantic version: ${parsed.message}`) : parsed
}

/** Groups properties by domain: that of a name without one is the driver's name. */
const grouped = <A>(
  properties: Readonly<Record<string, A>>,
  driver: string,
  toValue: (property: A) => Value
): Properties | string => {
  const domains = new Map<Key, EntryMap>()
  for (const [name, property] of Object.entries(properties)) {
    const at = name.indexOf("/")
    const [domain, id] = at < 0 ? [driver, name] : [name.slice(0, at), name.slice(at + 1)]
    const value = toValue(property)
    if (value instanceof CelError) return `attribute ${name}: ${value.message}`
    const known = domains.get(domain) ?? new EntryMap(new Map())
    known.entries.set(id, value)
    domains.set(domain, known)
  }
  return new Properties(new Map<Key, Value>(domains))
}

/** Makes the value of the variable `device`; returns what is wrong with an attribute. */
export const deviceValue = (device: Device, driver: string): Value | string => {
  const attributes = grouped(device.attributes ?? {}, driver, attributeValue)
  if (typeof attributes === "string") return attributes
  const capacity = grouped(device.capacity ?? {}, driver, ({ value }) =>
    Result.match(parseQuantity(String(value)), {
      onSuccess: (amount): Value => new Quantity(amount),
      onFailure: ({ message }) => new CelError(message)
    })
  )
  if (typeof capacity === "string") return capacity
  return new EntryMap(
    new Map<Key, Value>([
      ["driver", driver],
      ["allowMultipleAllocations", device.allowMultipleAllocations ?? false],
      ["attributes", attributes],
      ["capacity", capacity]
    ])
  )
}

/** Evaluates a selector for the value of a device; returns why it failed. */
export const selectsDevice = ({ program }: DeviceSelectorProgram, device: Value): boolean | string => {
  try {
    const value = program({ device }, new Meter(MAX_SELECTOR_COST))
    if (typeof value === "boolean") return value
    if (value instanceof CelError) return value.message
    const name = typeName(value)
    return `CEL result of type ${name} could not be converted to bool: type conversion error from '${name}' to 'bool'`
  } catch (error) {
    if (error instanceof CostExceeded) return error.message
    throw error
  }
}
