import { badRequest, goQuote, type Status } from "@rollcall/api"
import type { Call } from "../call/Call.ts"
import { textOfHeader } from "../wire/headerText.ts"

type Extra = Readonly<Record<string, ReadonlyArray<string>>>

/** The user that a request asks for. */
export interface WantedUser {
  readonly user: string
  readonly groups: ReadonlyArray<string>
  readonly uid: string
  readonly extra: Extra
}

const EXTRA = "impersonate-extra-"

/** Returns all values of a header that may be repeated. */
const headerValues = (call: Call, name: string): ReadonlyArray<string> => {
  const { rawHeaders } = call.request
  const values: Array<string> = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(textOfHeader(rawHeaders[index + 1] ?? ""))
  }
  return values
}

const extraOf = (call: Call): Extra => {
  const names = Object.keys(call.request.headers).filter((name) => name.startsWith(EXTRA))
  // A key may be "__proto__".
  return Object.fromEntries(names.map((name) => [decodedKey(name.slice(EXTRA.length)), headerValues(call, name)]))
}

const decodedKey = (key: string): string => {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** Returns the user that the headers name; undefined without impersonation; the 400 of one without a name. */
export const wantedUserOf = (call: Call): WantedUser | Status | undefined => {
  const wanted = {
    user: headerValues(call, "impersonate-user")[0] ?? "",
    groups: headerValues(call, "impersonate-group"),
    uid: headerValues(call, "impersonate-uid")[0] ?? "",
    extra: extraOf(call)
  }
  if (wanted.user !== "") return wanted
  const isEmpty = wanted.groups.length === 0 && wanted.uid === "" && Object.keys(wanted.extra).length === 0
  return isEmpty ? undefined : badRequest(missingUserMessage(wanted))
}

/** Prints a slice as Go's `%#v` does. */
const goList = (values: ReadonlyArray<string>): string =>
  values.length === 0 ? "[]string(nil)" : `[]string{${values.map((value) => goQuote(value)).join(", ")}}`

const missingUserMessage = ({ extra, groups, uid }: WantedUser): string => {
  const pairs = Object.entries(extra).map(([key, values]) => `${goQuote(key)}:${goList(values)}`)
  const map = pairs.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${pairs.join(", ")}}`
  return `requested &user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${goList(groups)}, Extra:${map}} without impersonating a user name`
}
