/** A Secret that has pulled an image. `hash` tells one content from another. */
export interface PullSecret {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly hash: string
}

/** A service account whose token has pulled an image. */
export interface PullAccount {
  readonly uid: string
  readonly namespace: string
  readonly name: string
}

/** Whose credentials give access to an image. Upstream: pkg/kubelet/apis/config, ImagePullCredentials. */
export interface PullCredentials {
  /** Whether all pods of the node have access: no credentials were needed, or those of the node. */
  readonly isOpen: boolean
  readonly secrets: ReadonlyArray<PullSecret>
  readonly accounts: ReadonlyArray<PullAccount>
}

export const openToAll: PullCredentials = { isOpen: true, secrets: [], accounts: [] }

const isSameOne = (left: PullAccount, right: PullAccount): boolean =>
  left.uid === right.uid && left.namespace === right.namespace && left.name === right.name

/** Returns all credentials of two pulls; the first if the second adds none. Upstream: pulledRecordMergeNewCreds. */
export const mergedCredentials = (known: PullCredentials, added: PullCredentials): PullCredentials => {
  if (known.isOpen) return known
  if (added.isOpen) return openToAll
  const secrets = added.secrets.filter(
    (secret) => !known.secrets.some((other) => isSameOne(other, secret) && other.hash === secret.hash)
  )
  if (secrets.length > 0) {
    const kept = known.secrets.filter((secret) => !secrets.some((other) => isSameOne(other, secret)))
    return { ...known, secrets: [...kept, ...secrets] }
  }
  const accounts = added.accounts.filter((account) => !known.accounts.some((other) => isSameOne(other, account)))
  return accounts.length === 0 ? known : { ...known, accounts: [...known.accounts, ...accounts] }
}

/** Upstream: pkg/kubelet/images/pullmanager/image_pull_manager.go, writeRecordWhileMatchingLimit. */
const MAX_ADDED_WHILE_MATCHING = 100

/**
 * Returns what of a pod's credentials has pulled an image before, as it is to be recorded; undefined if nothing has. A
 * Secret counts if it is the same one, or has the same content. Upstream: MustAttemptImagePull.
 */
export const matchingCredentials = (
  known: PullCredentials,
  secrets: ReadonlyArray<PullSecret>,
  account: PullAccount | undefined
): PullCredentials | undefined => {
  const mayAdd = known.secrets.length < MAX_ADDED_WHILE_MATCHING
  for (const secret of secrets) {
    for (const other of known.secrets) {
      const hasContent = secret.hash === other.hash
      const isSame = isSameOne(secret, other)
      if (hasContent && (isSame || !mayAdd)) return known
      if (hasContent || (isSame && mayAdd))
        return mergedCredentials(known, { isOpen: false, secrets: [secret], accounts: [] })
    }
  }
  return account !== undefined && known.accounts.some((other) => isSameOne(other, account)) ? known : undefined
}
