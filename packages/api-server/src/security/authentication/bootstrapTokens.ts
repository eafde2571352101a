import { timingSafeEqual } from "node:crypto"
import {
  BOOTSTRAP_TOKEN_NAMESPACE,
  bootstrapTokenName,
  isBootstrapToken,
  parseBootstrapToken,
  readBootstrapToken,
  type Secret
} from "@rollcall/api"
import { authenticatedGroup } from "@rollcall/rbac"
import type { SecuritySource } from "../../core/ports/Security.ts"
import type { TokenLookup } from "./authenticators.ts"

const USER_PREFIX = "system:bootstrap:"

const decode = (base64: string): string => Buffer.from(base64, "base64").toString()

const isSame = (left: string, right: string): boolean => {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * Authenticates the bootstrap tokens whose Secrets are in kube-system and allow it. Upstream:
 * plugin/pkg/auth/authenticator/token/bootstrap/bootstrap.go.
 */
export const bootstrapTokens =
  (source: SecuritySource, ownAudiences: ReadonlyArray<string>): TokenLookup =>
  (token, audiences) => {
    const given = parseBootstrapToken(token)
    if (given === undefined) return undefined
    const matchingAudiences = audiences.filter((audience) => ownAudiences.includes(audience))
    const secret = source.get("Secret", BOOTSTRAP_TOKEN_NAMESPACE, bootstrapTokenName(given.id)) as Secret | undefined
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined || !isBootstrapToken(secret)) {
      return undefined
    }
    const { expiresMs, groups, id, mayAuthenticate, secret: text } = readBootstrapToken(secret, decode)
    if (!isSame(text, given.secret) || id !== given.id || expiresMs <= source.now() || !mayAuthenticate)
      return undefined
    return groups === undefined || matchingAudiences.length === 0
      ? undefined
      : { user: { user: `${USER_PREFIX}${id}`, groups: [...groups, authenticatedGroup] }, audiences: matchingAudiences }
  }
