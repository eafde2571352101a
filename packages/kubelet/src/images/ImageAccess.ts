import * as Result from "effect/Result"
import type { TrackedCredentials } from "../credentials/Keyring.ts"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { ImageMeter } from "./metrics.ts"
import { matchingCredentials, type PullAccount, type PullCredentials, type PullSecret } from "./PullCredentials.ts"
import type { PullRecords } from "./PullRecords.ts"
import { isVerificationPolicy, mustVerify } from "./verificationPolicy.ts"

/** Whether a pod may use an image that is on the node: by the policy or a record, only after a pull, or by its credentials. */
type Access = "allowed" | "mustPull" | PullCredentials

export interface AskedImage {
  /** The image as the pod names it. */
  readonly image: string
  /** The image as the runtime names it. */
  readonly ref: string
}

/** Whether an image on the node is for all pods, by policy or by its record. */
export const isOpenToAll = (
  {
    featureGates,
    imagePullCredentialsVerificationPolicy: policy,
    preloadedImagesVerificationAllowlist: list
  }: KubeletConfig,
  records: PullRecords,
  { image, ref }: AskedImage
): boolean => {
  if (!featureGates.KubeletEnsureSecretPulledImages || !isVerificationPolicy(policy)) return true
  return (
    !mustVerify(policy, list, image, records.isPulledByKubelet(image, ref)) ||
    records.credentialsOf(image, ref)?.isOpen === true
  )
}

const secretsOf = (credentials: ReadonlyArray<TrackedCredentials>): ReadonlyArray<PullSecret> =>
  credentials.flatMap(({ secret }) => secret ?? [])

const accountOf = (credentials: ReadonlyArray<TrackedCredentials>): PullAccount | undefined =>
  credentials.find(({ account }) => account !== undefined)?.account

/**
 * Decides whether a pod may use an image that is on the node without another pull. Upstream:
 * pkg/kubelet/images/pullmanager/image_pull_manager.go, MustAttemptImagePull.
 */
export class ImageAccess {
  private readonly config: KubeletConfig
  private readonly records: PullRecords
  private readonly meter: ImageMeter | undefined
  private readonly now: () => number

  constructor(config: KubeletConfig, records: PullRecords, meter: ImageMeter | undefined, now: () => number) {
    this.config = config
    this.records = records
    this.meter = meter
    this.now = now
  }

  /** Whether access is looked at: if not, everything on the node is for all. */
  get isVerified(): boolean {
    return this.config.featureGates.KubeletEnsureSecretPulledImages
  }

  /** Decides by policy and records. If those name credentials, the pod's own decide: see `mayUse`. */
  decide({ image, ref }: AskedImage): Access {
    const { imagePullCredentialsVerificationPolicy: policy, preloadedImagesVerificationAllowlist: list } = this.config
    const isPulledByKubelet = this.records.isPulledByKubelet(image, ref)
    if (isVerificationPolicy(policy) && !mustVerify(policy, list, image, isPulledByKubelet)) {
      this.meter?.imageAccessChecked("credentialPolicyAllowed")
      return "allowed"
    }
    const known = this.records.credentialsOf(image, ref)
    if (known?.isOpen === true) {
      this.meter?.imageAccessChecked("credentialRecordFound")
      return "allowed"
    }
    if (known !== undefined && known.secrets.length + known.accounts.length > 0) return known
    this.meter?.imageAccessChecked("mustAuthenticate")
    return "mustPull"
  }

  /** Whether the credentials of a pod have pulled the image before. */
  mayUse(
    { image, ref }: AskedImage,
    known: PullCredentials,
    found: Result.Result<ReadonlyArray<TrackedCredentials>, string>
  ): boolean {
    if (Result.isFailure(found)) {
      this.meter?.imageAccessChecked("error")
      return false
    }
    const matching = matchingCredentials(known, secretsOf(found.success), accountOf(found.success))
    this.meter?.imageAccessChecked(matching === undefined ? "mustAuthenticate" : "credentialRecordFound")
    if (matching !== undefined && matching !== known) this.records.record(image, ref, matching, this.now())
    return matching !== undefined
  }
}
