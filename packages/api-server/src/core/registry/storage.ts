import { type CSIDriver, formatTime, kindOf, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"

const pending = () => ({ phase: "Pending" })

const withTransition = (volume: PersistentVolume, lastPhaseTransitionTime: string | undefined): PersistentVolume =>
  lastPhaseTransitionTime === undefined ? volume : { ...volume, status: { ...volume.status, lastPhaseTransitionTime } }

/** Sets when the phase changes, unless the client does. A client that leaves the time out does not remove it. */
const withPhaseTime = (volume: PersistentVolume, stored: PersistentVolume, nowMs: number): PersistentVolume => {
  const [before, after] = [stored.status ?? {}, volume.status ?? {}]
  const { lastPhaseTransitionTime: given } = after
  if ((before.phase ?? "") === (after.phase ?? "")) {
    return given === undefined ? withTransition(volume, before.lastPhaseTransitionTime) : volume
  }
  const isOwn = given !== undefined && given !== before.lastPhaseTransitionTime
  return isOwn ? volume : withTransition(volume, formatTime(nowMs))
}

/** A volume is pending since its creation. Upstream: pkg/registry/core/persistentvolume/strategy.go. */
export const persistentVolumes: KindOptions<PersistentVolume> = {
  subresources: ["status"],
  initialStatus: pending,
  returnsDeleted: true,
  strategy: {
    prepareForCreate: (volume) =>
      withTransition({ ...volume, status: { phase: "Pending" } }, volume.metadata.creationTimestamp),
    prepareForStatusUpdate: withPhaseTime
  }
}

type ClaimSpec = NonNullable<PersistentVolumeClaim["spec"]>

const isOldSource = ({ apiGroup = "", kind }: NonNullable<ClaimSpec["dataSource"]>): boolean =>
  apiGroup === ""
    ? kind === "PersistentVolumeClaim"
    : apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot"

/**
 * Returns the spec with both fields for a source of data, if it has one of them. The older field names claims and
 * snapshots only; another namespace needs a feature gate that is off. Upstream: pkg/api/persistentvolumeclaim/util.go.
 */
const withSources = (given: ClaimSpec, old: ClaimSpec | undefined): ClaimSpec => {
  const { dataSource, dataSourceRef, ...rest } = given
  const isForeign = Boolean(dataSourceRef?.namespace) && old?.dataSourceRef === undefined
  const ref = isForeign ? undefined : dataSourceRef
  const had = old?.dataSource !== undefined || old?.dataSourceRef !== undefined
  const isDropped = !had && ref === undefined && dataSource !== undefined && !isOldSource(dataSource)
  const source = isDropped ? undefined : dataSource
  if (source === undefined && ref === undefined) return rest
  if (ref === undefined) return { ...rest, ...(source && { dataSource: source, dataSourceRef: source }) }
  const { namespace, ...local } = ref
  return { ...rest, ...(source ? { dataSource: source } : namespace ? {} : { dataSource: local }), dataSourceRef: ref }
}

const withSourcesOf = (claim: PersistentVolumeClaim, stored?: PersistentVolumeClaim): PersistentVolumeClaim => {
  const { spec } = claim
  if (spec?.dataSource === undefined && spec?.dataSourceRef === undefined) return claim
  return { ...claim, spec: withSources(spec, stored?.spec) }
}

/** A new claim is stored without a phase, and read as pending. Upstream: pkg/registry/core/persistentvolumeclaim/strategy.go. */
export const persistentVolumeClaims: KindOptions<PersistentVolumeClaim> = {
  subresources: ["status"],
  initialStatus: () => ({}),
  returnsDeleted: true,
  strategy: {
    prepareForCreate: (claim) => withSourcesOf(claim),
    prepareForUpdate: withSourcesOf,
    asReadBack: kindOf("PersistentVolumeClaim").defaults
  }
}

/** Leaves out the field of the feature gate VolumeLimitScaling, which is off. Upstream: pkg/registry/storage/csidriver. */
export const withoutScaling = (driver: CSIDriver, stored?: CSIDriver): CSIDriver => {
  const { preventPodSchedulingIfMissing, ...spec } = driver.spec
  return preventPodSchedulingIfMissing === undefined || stored?.spec.preventPodSchedulingIfMissing !== undefined
    ? driver
    : { ...driver, spec }
}
