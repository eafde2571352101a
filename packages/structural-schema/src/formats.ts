import { parseCIDR, parseIP } from "@rollcall/api/validation"
import { parseDuration, uriProblem } from "@rollcall/cel"
import { isCreditCard, isIsbn10, isIsbn13 } from "./checksums.ts"

/* The formats of texts. Upstream: kube-openapi/pkg/validation/strfmt and pkg/internal/third_party/govalidator. */

type Check = (text: string) => boolean

const matches =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text)

const monthDays: ReadonlyArray<number> = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The days of a month, January being 1; undefined if there is no such month. */
const daysOf = (year: number, month: number): number | undefined => {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : monthDays[month - 1]
}

const isDate: Check = (text) => {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  const most = daysOf(Number(year), Number(month))
  return day !== "00" && most !== undefined && Number(day) <= most
}

/** Only one `t` may be in a time; any character may come before its fraction. */
const isDateTime: Check = (text) => {
  const [date = "", time] = text.toLowerCase().split("t")
  if (time === undefined || !isDate(date)) return false
  const [, hour = "99", minute = "", second = ""] =
    /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time) ?? []
  return hour <= "23" && minute <= "59" && second <= "59"
}

const unitPattern = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i

/** A duration of Go, or a text with a number and a unit as Scala writes them somewhere in it. */
const isDuration: Check = (text) => {
  if (parseDuration(text) !== undefined) return true
  const parts = [...text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)]
  if (parts.some(([, factor = ""]) => BigInt(factor.slice(0, 32)) >= 2n ** 63n)) return false
  return parts.some(([, , unit = ""]) => unitPattern.test(unit))
}

/** A name, if its bytes and those of its labels are not too many. */
const isHostname: Check = (text) =>
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u.test(
    text
  ) &&
  Buffer.byteLength(text) <= 255 &&
  text.split(".").every((label) => Buffer.byteLength(label) <= 63)

const atoms = "[\\w!#$%&'*+\\-/=?^`{|}~\\u0080-\\uffff]+(?:\\.[\\w!#$%&'*+\\-/=?^`{|}~\\u0080-\\uffff]+)*"
const quoted = '"(?:[^"\\\\\\r\\n]|\\\\.)*"'
const mailbox = `(?:${atoms}|${quoted})@(?:${atoms}|\\[[^\\[\\]\\\\\\r\\n]*\\])`
const word = `(?:${atoms}|${quoted})`
const emailPattern = new RegExp(`^[ \\t]*(?:${mailbox}|(?:${word}(?:[ \\t]+${word})*[ \\t]*)?<${mailbox}>)[ \\t]*$`)

const octet = "\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*"
const rgbPattern = new RegExp(`^rgb\\(${octet},${octet},${octet}\\)$`)

const macSizes: ReadonlyArray<number> = [6, 8, 20]

/** An address of 6, 8 or 20 bytes. */
const isMac: Check = (text) => {
  const digits = text.replace(/[:.-]/g, "")
  const isForm =
    /^[\da-f]{4}(?:\.[\da-f]{4})+$/i.test(text) || /^[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2})*$/i.test(text)
  return isForm && macSizes.includes(digits.length / 2)
}

/** Leading zeros are allowed. */
const isIPv4: Check = (text) => text.includes(".") && parseIP(text) !== undefined

const isIPv6: Check = (text) => text.includes(":") && parseIP(text)?.leadingZero === false

const checks: ReadonlyMap<string, Check> = new Map([
  ["bsonobjectid", matches(/^[\da-f]{24}$/i)],
  ["byte", matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["cidr", (text) => parseCIDR(text) !== undefined],
  ["creditcard", isCreditCard],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", matches(emailPattern)],
  ["hexcolor", matches(/^#?(?:[\da-f]{3}|[\da-f]{6})$/i)],
  ["hostname", isHostname],
  ["ipv4", isIPv4],
  ["ipv6", isIPv6],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["k8slongname", matches(/^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/)],
  ["k8sshortname", matches(/^(?=.{1,63}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/)],
  ["mac", isMac],
  ["password", () => true],
  ["rgbcolor", matches(rgbPattern)],
  ["ssn", matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ["uri", (text) => uriProblem(text) === undefined],
  ["uuid", matches(/^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i)],
  ["uuid3", matches(/^[\da-f]{8}-?[\da-f]{4}-?3[\da-f]{3}-?[\da-f]{4}-?[\da-f]{12}$/i)],
  ["uuid4", matches(/^[\da-f]{8}-?[\da-f]{4}-?4[\da-f]{3}-?[89ab][\da-f]{3}-?[\da-f]{12}$/i)],
  ["uuid5", matches(/^[\da-f]{8}-?[\da-f]{4}-?5[\da-f]{3}-?[89ab][\da-f]{3}-?[\da-f]{12}$/i)]
])

const checkOf = (format: string): Check | undefined => checks.get(format.replaceAll("-", ""))

/** Whether a text has this format; unknown formats are not checked. */
export const hasFormat = (format: string, text: string): boolean => checkOf(format)?.(text) ?? true

const numberFormats: Readonly<Record<string, ReadonlyArray<string>>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"]
}

/** Whether a format is known for values of a type. Upstream: apiextensions-apiserver/pkg/apiserver/validation/formats.go. */
export const isKnownFormat = (format: string, type: unknown): boolean =>
  type === undefined || type === "" || type === "string"
    ? checkOf(format) !== undefined
    : (numberFormats[String(type)]?.includes(format) ?? false)
