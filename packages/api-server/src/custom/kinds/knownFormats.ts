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
