import type { UserInfo } from "../../core/admission/Admission.ts"
import type { Authenticator, Credentials } from "../../core/ports/Security.ts"

/** Whom a token stands for, and towards whom; an error says what is wrong with a token of a sort that is known. */
export interface TokenAnswer {
  readonly user?: UserInfo
  readonly audiences?: ReadonlyArray<string>
  readonly error?: string
}

/** Undefined: no token that this knows. `audiences`: whom the token must be meant for, one of them at least. */
export type TokenLookup = (token: string, audiences: ReadonlyArray<string>) => TokenAnswer | undefined

/** The first lookup that knows the token. */
export const firstOf =
  (lookups: ReadonlyArray<TokenLookup>): TokenLookup =>
  (token, audiences) => {
    for (const lookup of lookups) {
      const answer = lookup(token, audiences)
      if (answer !== undefined) return answer
    }
    return undefined
  }

/** `Authorization: Bearer <token>`; an empty one counts as none. Upstream: request/bearertoken/bearertoken.go. */
export const bearerToken = ({ headers }: Credentials): string | undefined => {
  const { authorization } = headers
  const header = typeof authorization === "string" ? authorization : authorization?.[0]
  if (header === undefined) return undefined
  const [scheme = "", token = ""] = header.trim().split(" ")
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined
}

/** A token that nobody knows is wrong: it is not overlooked in favour of anonymity. */
export const bearerTokens = (lookup: TokenLookup, audiences: ReadonlyArray<string>): Authenticator => ({
  authenticate: (credentials) => {
    const token = bearerToken(credentials)
    if (token === undefined) return undefined
    return lookup(token, audiences)?.user ?? "invalid"
  }
})

/** Asks one after the other until one has an opinion. */
export const authenticators = (all: ReadonlyArray<Authenticator>): Authenticator => ({
  authenticate: (credentials) => {
    for (const { authenticate } of all) {
      const answer = authenticate(credentials)
      if (answer !== undefined) return answer
    }
    return undefined
  }
})
