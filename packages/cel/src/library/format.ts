import {
  isQualifiedName,
  isValidLabelValue,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain
} from "@rollcall/api/validation"
import { REGEX_FACTOR, STRING_FACTOR, timesFactor } from "../estimateSizes.ts"
import type { CelFunction } from "../operators.ts"
import { listOf, objectOf, optionalOf, STRING } from "../types.ts"
import { Extension, ItemList, Optional, sizeOf } from "../values.ts"
import type { Cost, Library } from "./Library.ts"
import { uriProblem } from "./url.ts"

const NAME = "kubernetes.NamedFormat"

/** The greatest length of a format's name, and of its pattern. Upstream: apiserver/pkg/cel/limits.go. */
const MAX_FORMAT_SIZE = 64
const MAX_REGEX_SIZE = 128

/** Returns the errors of a text; none if it matches the format. */
type Validate = (text: string) => ReadonlyArray<string>

export class Format extends Extension {
  readonly typeName = NAME
  readonly key: string
  readonly validate: Validate
  /** The length of the pattern by which its cost is estimated. */
  readonly regexSize: number
  constructor(name: string, validate: Validate, regexSize: number) {
    super()
    this.key = name
    this.validate = validate
    this.regexSize = regexSize
  }
}

/** Makes a validation with one error. */
const errorUnless =
  (holds: (text: string) => boolean, message: string): Validate =>
  (text) =>
    holds(text) ? [] : [message]

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/
const TIME = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/

const isDate = (text: string): boolean => {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0)
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1]
  return days !== undefined && Number(day) >= 1 && Number(day) <= days
}

/** Upstream: kube-openapi/pkg/validation/strfmt/time.go, IsDateTime. */
const isDateTime = (text: string): boolean => {
  const [date = "", time = ""] = text.toLowerCase().split("t", 2)
  const [, hours = "", minutes = "", seconds = ""] = TIME.exec(time) ?? []
  return isDate(date) && hours !== "" && hours <= "23" && minutes <= "59" && seconds <= "59"
}

const uri: Validate = (text) => {
  const problem = uriProblem(text)
  return problem === undefined ? [] : [problem]
}

/** The formats by their names in rules, each with the length of its pattern. Upstream: format.go, ConstantFormats. */
const formats = new Map<string, Format>([
  ["dns1123Label", new Format("DNS1123Label", (text) => nameIsDNSLabel(text, false), 30)],
  ["dns1123Subdomain", new Format("DNS1123Subdomain", (text) => nameIsDNSSubdomain(text, false), 60)],
  ["dns1035Label", new Format("DNS1035Label", (text) => nameIsDNS1035Label(text, false), 30)],
  ["qualifiedName", new Format("QualifiedName", isQualifiedName, 60)],
  ["dns1123LabelPrefix", new Format("DNS1123LabelPrefix", (text) => nameIsDNSLabel(text, true), 30)],
  ["dns1123SubdomainPrefix", new Format("DNS1123SubdomainPrefix", (text) => nameIsDNSSubdomain(text, true), 60)],
  ["dns1035LabelPrefix", new Format("DNS1035LabelPrefix", (text) => nameIsDNS1035Label(text, true), 30)],
  ["labelValue", new Format("LabelValue", isValidLabelValue, 40)],
  ["uri", new Format("URI", uri, 1103)],
  [
    "uuid",
    new Format(
      "uuid",
      errorUnless((text) => UUID.test(text), "does not match the UUID format"),
      70
    )
  ],
  [
    "byte",
    new Format(
      "byte",
      errorUnless((text) => BASE64.test(text), "invalid base64"),
      84
    )
  ],
  ["date", new Format("date", errorUnless(isDate, "invalid date"), 71)],
  ["datetime", new Format("datetime", errorUnless(isDateTime, "invalid datetime"), 71)]
])

const named: CelFunction = ([name]) => (typeof name === "string" ? new Optional(formats.get(name)) : undefined)

const validate: CelFunction = ([format, text], meter) => {
  if (!(format instanceof Format) || typeof text !== "string") return undefined
  // Patterns are linear, and messages may contain the text.
  meter.make(8 * text.length)
  const messages = format.validate(text)
  return new Optional(messages.length === 0 ? undefined : new ItemList([...messages]))
}

const validateCost: Cost = ([format, text = null], meter) => {
  if (!(format instanceof Format)) return 1
  if (typeof text === "string") meter.read(text.length)
  return Math.ceil((1 + sizeOf(text)) * STRING_FACTOR) * Math.ceil(format.regexSize * REGEX_FACTOR)
}

const type = { ...objectOf(new Map(), 0), name: NAME }

/** The functions of named formats. Upstream: apiserver/pkg/cel/library/format.go. */
export const formatLibrary: Library = {
  types: { format: type, "opt(format)": optionalOf(type), "opt([string])": optionalOf(listOf(STRING)) },
  typeNames: [],
  overloads: [
    ".validate format string -> opt([string]) = format-validate",
    "format.named string -> opt(format) = format-named",
    ...[...formats.keys()].map((name) => `format.${name} -> format = format.${name}`)
  ],
  functions: {
    ...Object.fromEntries(
      [...formats].map(([name, format]): [string, CelFunction] => [`format.${name}`, () => format])
    ),
    "format.named": named,
    validate
  },
  costs: { validate: validateCost },
  estimates: {
    validate: (_, [text]) =>
      text && {
        cost: timesFactor(timesFactor(text.sizeByPath(), STRING_FACTOR), MAX_REGEX_SIZE * REGEX_FACTOR)
      }
  },
  equality: { [NAME]: () => ({ cost: timesFactor({ min: 1, max: MAX_FORMAT_SIZE }, STRING_FACTOR) }) }
}
