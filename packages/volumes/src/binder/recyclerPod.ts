import { approximateValue, type PersistentVolume, type Pod } from "@rollcall/api"

const GIBI = 2 ** 30
/** Upstream: pkg/controller/volume/persistentvolume/config/v1alpha1/defaults.go. */
const SECONDS_PER_GIBI = 30
const MIN_SECONDS_HOST_PATH = 60
const MIN_SECONDS_NFS = 300

/** Upstream: pkg/volume/util CalculateTimeoutForVolume. */
const deadlineOf = ({ spec }: PersistentVolume, minimum: number): number =>
  Math.max(minimum, Math.floor(approximateValue(spec?.capacity?.storage ?? "0") / GIBI) * SECONDS_PER_GIBI)

/** Removes all below the folder, and fails if something is left. */
const SCRUB = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'

/**
 * The pod that empties a volume; undefined for a volume that nothing recycles. Upstream: pkg/volume/plugins.go
 * NewPersistentVolumeRecyclerPodTemplate, pkg/volume/hostpath, pkg/volume/nfs.
 */
export const recyclerPod = (volume: PersistentVolume): Pod | undefined => {
  const { hostPath, nfs } = volume.spec ?? {}
  if (hostPath === undefined && nfs === undefined) return undefined
  const source =
    hostPath === undefined ? { nfs: { server: nfs?.server, path: nfs?.path } } : { hostPath: { path: hostPath.path } }
  const seconds = deadlineOf(volume, hostPath === undefined ? MIN_SECONDS_NFS : MIN_SECONDS_HOST_PATH)
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `recycler-for-${volume.metadata.name}`, namespace: "default" },
    spec: {
      activeDeadlineSeconds: seconds,
      restartPolicy: "Never",
      volumes: [{ name: "vol", ...source }],
      containers: [
        {
          name: "pv-recycler",
          image: "registry.k8s.io/build-image/debian-base:bookworm-v1.0.6",
          command: ["/bin/sh"],
          args: ["-c", SCRUB],
          volumeMounts: [{ name: "vol", mountPath: "/scrub" }]
        }
      ]
    }
  }
}
