import { finalizerAttributesProtection as finalizer } from "@rollcall/api"
import { Controller, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { isDeletionCandidate, needsFinalizer, withFinalizer, withoutFinalizer } from "./finalizers.ts"

/** A claim or a volume, as far as it names classes of attributes. */
interface WithClass {
  readonly spec?: { readonly volumeAttributesClassName?: string }
  readonly status?: {
    readonly currentVolumeAttributesClassName?: string
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string }
  }
}

/** The classes that a claim or a volume names. Upstream: getPVReferencedVACNames and getPVCReferencedVACNames. */
const classesOf = (object: unknown): ReadonlyArray<string> => {
  const { spec, status } = object as WithClass
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus } = status ?? {}
  const names = [spec?.volumeAttributesClassName, current, modifyVolumeStatus?.targetVolumeAttributesClassName]
  return names.filter((name): name is string => Boolean(name))
}

/** The classes that an object no longer names, which may now be removed. */
const leftClasses = (
  object: unknown,
  { before, isDeleted }: { readonly before: unknown; readonly isDeleted: boolean }
) => {
  const now = classesOf(object)
  if (isDeleted) return now
  return before === undefined ? [] : classesOf(before).filter((name) => !now.includes(name))
}

/**
 * Keeps deleted classes of attributes until no claim and no volume names them, while the layer lives. Upstream:
 * pkg/controller/volume/vacprotection.
 */
export const layerAttributesProtection = Controller.make({
  name: "volumeattributesclass-protection-controller",
  queue: "vacprotection",
  for: "VolumeAttributesClass",
  watches: { PersistentVolume: { concerns: leftClasses }, PersistentVolumeClaim: { concerns: leftClasses } },
  when: (attributes, { isDeleted }) =>
    !isDeleted && (needsFinalizer(attributes, finalizer) || isDeletionCandidate(attributes, finalizer)),
  reconcile: ({ cache, cluster }) =>
    Effect.fnUntraced(function* (name) {
      const attributes = cache("VolumeAttributesClass").find(name)
      if (attributes === undefined) return
      if (needsFinalizer(attributes, finalizer)) {
        yield* cluster.update("VolumeAttributesClass", withFinalizer(attributes, finalizer))
        return
      }
      const users = [...cache("PersistentVolume").list(), ...cache("PersistentVolumeClaim").list()]
      if (!isDeletionCandidate(attributes, finalizer) || users.some((user) => classesOf(user).includes(name))) return
      yield* cluster
        .update("VolumeAttributesClass", withoutFinalizer(attributes, finalizer))
        .pipe(Effect.catchIf(isNotFound, () => Effect.void))
    })
})
