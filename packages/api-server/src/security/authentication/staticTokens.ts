import { hash } from "node:crypto"
import { authenticatedGroup } from "../identity.ts"
import type { TokenAnswer, TokenLookup } from "./bearer.ts"

/** A line of `--token-auth-file`. */
export interface StaticToken {
  readonly token: string
  readonly user: string
  readonly uid?: string
  readonly groups?: ReadonlyArray<string>
}

const digest = (token: string): string => hash("sha256", token, "base64")

/** Tokens that were given when the server started. They are looked up by digest, so that time tells nothing of them. */
export const staticTokens = (tokens: ReadonlyArray<StaticToken>, ownAudiences: ReadonlyArray<string>): TokenLookup => {
  const users = new Map<string, TokenAnswer>()
  for (const { groups = [], token, uid, user } of tokens) {
    const everybody = [...groups.filter((group) => group !== authenticatedGroup), authenticatedGroup]
    users.set(digest(token), { user: { user, groups: everybody, ...(uid === undefined ? {} : { uid }) } })
  }
  return (token, audiences) => {
    const found = users.get(digest(token))
    if (found === undefined) return undefined
    const meant = audiences.filter((audience) => ownAudiences.includes(audience))
    return meant.length === 0 ? { error: "token audiences do not match" } : { ...found, audiences: meant }
  }
}
