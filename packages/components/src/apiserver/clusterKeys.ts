import { createHash, createPublicKey } from "node:crypto"
import { join } from "node:path"
import { type ClusterShape, isNotFound } from "@rollcall/cluster"
import { type Pki, PkiError } from "@rollcall/pki"
import * as Effect from "effect/Effect"

const TRUST = { namespace: "kube-system", name: "extension-apiserver-authentication" }

/** Says which key signs the tokens of service accounts, so that servers with another one do not start. */
export const TOKEN_KEY_ANNOTATION = "rollcall.dev/service-account-key"

/** What all servers of one etcd have in their `pki` folders; each makes the other files. */
const SHARED_FILES = "ca.crt, ca.key, front-proxy-ca.crt, front-proxy-ca.key, sa.key and sa.pub"

/** Returns the digest of the public part of a key. */
export const keyDigest = (privateKeyPem: string): string =>
  createHash("sha256")
    .update(createPublicKey(privateKeyPem).export({ type: "spki", format: "der" }))
    .digest("hex")

const foreign = (file: string, what: string): PkiError =>
  new PkiError({
    file,
    message: `${file} is not the ${what} of the cluster in etcd, whose clients would not get on with this server; copy ${SHARED_FILES} from the pki folder of one of its servers to an empty one here`
  })

/**
 * Fails if the cluster in a store that servers share has other keys than this server: some of its answers would be of an
 * authority that clients do not know, and the tokens that it issues, valid here alone.
 */
export const checkSharedKeys = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  folder: string,
  { authorityPem, serviceAccountKey }: Pick<Pki, "authorityPem" | "serviceAccountKey">
) {
  const [authorityFile, tokenFile] = [join(folder, "pki", "ca.crt"), join(folder, "pki", "sa.key")]
  const trust = yield* cluster.get("ConfigMap", TRUST).pipe(
    Effect.catchIf(isNotFound, () => Effect.succeed(undefined)),
    Effect.mapError(({ message }) => new PkiError({ file: authorityFile, message }))
  )
  const known = trust?.data?.["client-ca-file"]
  if (known !== undefined && known.trim() !== authorityPem.trim()) {
    return yield* foreign(authorityFile, "authority")
  }
  const tokenKey = trust?.metadata.annotations?.[TOKEN_KEY_ANNOTATION]
  if (tokenKey !== undefined && tokenKey !== keyDigest(serviceAccountKey.privateKeyPem)) {
    return yield* foreign(tokenFile, "key of service accounts")
  }
})
