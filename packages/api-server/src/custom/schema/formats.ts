import { isIPv4, isIPv6 } from "node:net"
import { parseQuantity } from "@rollcall/api"
import * as Result from "effect/Result"

const patterns: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  datetime: /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)$/,
  duration:
    /^(?:0|[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*|\d+ ?(?:nanoseconds?|microseconds?|milliseconds?|seconds?|minutes?|hours?|days?|weeks?|[dw]))$/,
  email: /^[^\s@<>]+@[^\s@<>]+$/,
  hexcolor: /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/,
  hostname:
    /^(?=.{1,253}$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,62}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,62}[a-zA-Z0-9])?)*\.?$/,
  mac: /^(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$|^(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/,
  uuid: /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i,
  uuid3: /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i,
  uuid4: /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i,
  uuid5: /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i,
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  "k8s-short-name": /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
  "k8s-long-name": /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
}

const isCidr = (text: string): boolean => {
  const [address = "", bits = "", more] = text.split("/")
  const maxBits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
  return more === undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits
}

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  uri: (text) => text.startsWith("/") || URL.canParse(text),
  quantity: (text) => Result.isSuccess(parseQuantity(text))
}

/** Whether a text has this format; unknown formats are not checked. Upstream: kube-openapi/pkg/validation/strfmt. */
export const hasFormat = (format: string, text: string): boolean => {
  const name = format.replaceAll("-", "")
  const check = checks[name]
  if (check !== undefined) return check(text)
  const pattern = patterns[format] ?? patterns[name]
  return pattern === undefined || pattern.test(text)
}

/** The formats of texts by their names without dashes, including those that validate nothing. */
const textFormats: ReadonlySet<string> = new Set([
  ...["bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5"],
  ...["isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date", "duration"],
  ...["datetime", "k8sshortname", "k8slongname"]
])

const numberFormats: Readonly<Record<string, ReadonlyArray<string>>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"]
}

/** Whether a format is known for values of a type. Upstream: apiextensions-apiserver/pkg/apiserver/validation/formats.go. */
export const isKnownFormat = (format: string, type: unknown): boolean =>
  type === undefined || type === "" || type === "string"
    ? textFormats.has(format.replaceAll("-", ""))
    : (numberFormats[String(type)]?.includes(format) ?? false)
