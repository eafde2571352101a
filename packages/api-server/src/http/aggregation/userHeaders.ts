import type { UserInfo } from "../../core/admission/Admission.ts"
import { headerOfText } from "../wire/headerText.ts"

const LEGAL = /[A-Za-z0-9!#$&'*+.^_`|~-]/

/** Returns a key of extra as the end of a header's name. Upstream: client-go/transport/round_trippers.go, headerKeyEscape. */
const escapedKey = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const text = String.fromCharCode(byte)
      return LEGAL.test(text) ? text : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")

/**
 * Returns the headers by which another API server knows the user, names and values alternating. Upstream:
 * client-go/transport/round_trippers.go, SetAuthProxyHeaders.
 */
export const userHeaders = ({ extra = {}, groups, uid, user }: UserInfo): ReadonlyArray<string> => [
  ...["X-Remote-User", headerOfText(user)],
  ...(uid === undefined || uid === "" ? [] : ["X-Remote-Uid", headerOfText(uid)]),
  ...groups.flatMap((group) => ["X-Remote-Group", headerOfText(group)]),
  ...Object.entries(extra).flatMap(([key, values]) =>
    values.flatMap((value) => [`X-Remote-Extra-${escapedKey(key)}`, headerOfText(value)])
  )
]
