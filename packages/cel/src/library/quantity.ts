import {
  type Amount,
  addQuantity,
  approximateValue,
  compareQuantity,
  parseQuantity,
  signOf,
  subtractQuantity
} from "@rollcall/api"
import * as Result from "effect/Result"
import type { Meter } from "../Meter.ts"
import type { CelFunction } from "../operators.ts"
import { type CelType, objectOf } from "../types.ts"
import { CelError, Extension, type Value } from "../values.ts"
import { constantEstimate, type Library, parsing, parsingEstimate } from "./Library.ts"

const NAME = "kubernetes.Quantity"

/** The type of amounts such as `1Gi`. */
export const QUANTITY: CelType = { ...objectOf(new Map(), 0), name: NAME }

/** A quantity as a value. */
export class Quantity extends Extension {
  readonly typeName = NAME
  readonly amount: Amount
  override readonly isComparable: boolean
  constructor(amount: Amount, isComparable = true) {
    super()
    this.amount = amount
    this.isComparable = isComparable
  }
  get key(): string {
    const { scale, unscaled } = this.amount
    const digits = String(BigInt(unscaled))
    const trimmed = digits.replace(/0+$/, "")
    return trimmed === "" ? "0" : `${trimmed}e${scale + digits.length - trimmed.length}`
  }
}

/** Counts the steps of arithmetic on amounts, by the square of their digits: the cost does not depend on these. */
const countDigits = (meter: Meter, ...amounts: ReadonlyArray<Amount>): void => {
  let [least, most] = [0, 0]
  for (const { scale, unscaled } of amounts) {
    least = Math.min(least, scale)
    most = Math.max(most, scale + (typeof unscaled === "bigint" ? unscaled.toString(16).length * 1.3 : 16))
  }
  meter.spend(1 + ((most - least) / 64) ** 2)
}

const ofQuantity =
  (act: (amount: Amount) => Value): CelFunction =>
  ([quantity], meter) => {
    if (!(quantity instanceof Quantity)) return undefined
    countDigits(meter, quantity.amount)
    return act(quantity.amount)
  }

const ofQuantities =
  (act: (left: Amount, right: Amount) => Value): CelFunction =>
  ([left, right], meter) => {
    if (!(left instanceof Quantity) || !(right instanceof Quantity)) return undefined
    countDigits(meter, left.amount, right.amount)
    return act(left.amount, right.amount)
  }

const wholeAmount = (value: bigint): Amount => ({
  unscaled: value,
  scale: 0,
  format: "DecimalExponent",
  big: false,
  text: undefined
})

/** Makes a function of a quantity and a second one or an integer. */
const arithmetic = (act: (left: Amount, right: Amount) => Amount): CelFunction => {
  const both = ofQuantities((left, right) => new Quantity(act(left, right), false))
  return ([left = null, right = null], meter) =>
    both([left, typeof right === "bigint" ? new Quantity(wholeAmount(right)) : right], meter)
}

/**
 * Returns the integer value; undefined where upstream's fast form does not hold it as one. Upstream: Quantity.AsInt64.
 */
const wholeOf = ({ big, scale, unscaled }: Amount): bigint | undefined => {
  if (big || scale < 0) return undefined
  const whole = BigInt(unscaled) * 10n ** BigInt(scale)
  return BigInt.asIntN(64, whole) === whole ? whole : undefined
}

const quantity: CelFunction = ([text]) => {
  if (typeof text !== "string") return undefined
  return Result.match(parseQuantity(text), {
    onSuccess: (amount): Value => new Quantity(amount),
    onFailure: ({ message }) => new CelError(message)
  })
}

/** The functions of quantities. Upstream: apiserver/pkg/cel/library/quantity.go. */
export const quantityLibrary: Library = {
  types: { quantity: QUANTITY },
  typeNames: [],
  overloads: [
    "quantity string -> quantity = string_to_quantity",
    "isQuantity string -> bool = is_quantity_string",
    "sign quantity -> int = quantity_sign",
    ".isGreaterThan quantity quantity -> bool = quantity_is_greater_than",
    ".isLessThan quantity quantity -> bool = quantity_is_less_than",
    ".compareTo quantity quantity -> int = quantity_compare_to",
    ".asApproximateFloat quantity -> double = quantity_get_float",
    ".asInteger quantity -> int = quantity_get_int",
    ".isInteger quantity -> bool = quantity_is_integer",
    ".add quantity quantity -> quantity = quantity_add",
    ".add quantity int -> quantity = quantity_add_int",
    ".sub quantity quantity -> quantity = quantity_sub",
    ".sub quantity int -> quantity = quantity_sub_int"
  ],
  functions: {
    add: arithmetic(addQuantity),
    asApproximateFloat: ofQuantity(approximateValue),
    asInteger: ofQuantity((amount) => wholeOf(amount) ?? new CelError("cannot convert value to integer")),
    compareTo: ofQuantities((left, right) => BigInt(compareQuantity(left, right))),
    isGreaterThan: ofQuantities((left, right) => compareQuantity(left, right) > 0),
    isInteger: ofQuantity((amount) => wholeOf(amount) !== undefined),
    isLessThan: ofQuantities((left, right) => compareQuantity(left, right) < 0),
    isQuantity: ([text]) => (typeof text === "string" ? Result.isSuccess(parseQuantity(text)) : undefined),
    quantity,
    sign: ofQuantity((amount) => BigInt(signOf(amount))),
    sub: arithmetic(subtractQuantity)
  },
  costs: { isQuantity: parsing, quantity: parsing },
  estimates: { isQuantity: parsingEstimate, quantity: parsingEstimate },
  equality: { [NAME]: constantEstimate }
}
