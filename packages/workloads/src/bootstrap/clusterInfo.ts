import { type ConfigMap, isNamedForToken, readBootstrapToken, type Secret } from "@rollcall/api"

const CONTENT_KEY = "kubeconfig"
const SIGNATURE_PREFIX = "jws-kubeconfig-"

/** Signs a content with a token: a JSON Web Signature without the content. */
export type SignDetached = (content: string, tokenId: string, tokenSecret: string) => string

/** Returns the secrets of the tokens that may sign, by ID. Upstream: pkg/controller/bootstrap/util.go. */
const signingTokens = (
  secrets: ReadonlyArray<Secret>,
  nowMs: number,
  decode: (base64: string) => string
): ReadonlyMap<string, string> => {
  const tokens = new Map<string, string>()
  for (const secret of secrets) {
    const { expiresMs, id, maySign, secret: text } = readBootstrapToken(secret, decode)
    if (isNamedForToken(secret, id) && text !== "" && expiresMs > nowMs && maySign) tokens.set(id, text)
  }
  return tokens
}

/**
 * Returns the ConfigMap with a signature by each token that may sign, and no other; undefined if it has them or has
 * nothing to sign. Upstream: pkg/controller/bootstrap/bootstrapsigner.go, signConfigMap.
 */
export const signedClusterInfo = (
  info: ConfigMap,
  secrets: ReadonlyArray<Secret>,
  nowMs: number,
  { decode, sign }: { readonly decode: (base64: string) => string; readonly sign: SignDetached }
): ConfigMap | undefined => {
  const content = info.data?.[CONTENT_KEY]
  if (content === undefined) return undefined
  const rest = Object.entries(info.data ?? {}).filter(([key]) => !key.startsWith(SIGNATURE_PREFIX))
  const signatures = [...signingTokens(secrets, nowMs, decode)].map(
    ([id, secret]) => [`${SIGNATURE_PREFIX}${id}`, sign(content, id, secret)] as const
  )
  const isSigned =
    Object.keys(info.data ?? {}).length === rest.length + signatures.length &&
    signatures.every(([key, signature]) => info.data?.[key] === signature)
  return isSigned ? undefined : { ...info, data: Object.fromEntries([...rest, ...signatures]) }
}
