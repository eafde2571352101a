import { didYouMean } from "@rollcall/api/text"
import { type Flag, flag } from "@rollcall/flags"
import * as Result from "effect/Result"

/** A controller that `--controllers` can name. */
export interface KnownController {
  readonly name: string
  /** Former names, which are still accepted. */
  readonly aliases: ReadonlyArray<string>
  /** Set if `*` does not include it. */
  readonly offByDefault?: true
  /** Whether Rollcall has it. */
  readonly supported: boolean
  /** Its name in the metric `running_managed_controllers`; absent if the metric does not count it. */
  readonly metric?: string
}

const supported = (name: string, ...aliases: ReadonlyArray<string>): KnownController => ({
  name,
  aliases,
  supported: true
})
const unsupported = (name: string, ...aliases: ReadonlyArray<string>): KnownController => ({
  name,
  aliases,
  supported: false
})
const offByDefault = (name: string, ...aliases: ReadonlyArray<string>): KnownController => ({
  ...unsupported(name, ...aliases),
  offByDefault: true
})

/**
 * The controllers of kube-controller-manager. Upstream: cmd/kube-controller-manager/names/controller_names.go and the
 * aliases of app/*.go.
 */
export const managerControllers: ReadonlyArray<KnownController> = [
  supported("endpoints-controller", "endpoint"),
  supported("endpointslice-controller", "endpointslice"),
  supported("pod-garbage-collector-controller", "podgc"),
  supported("namespace-controller", "namespace"),
  supported("serviceaccount-controller", "serviceaccount"),
  supported("serviceaccount-token-controller", "serviceaccount-token"),
  supported("clusterrole-aggregation-controller", "clusterrole-aggregation"),
  supported("garbage-collector-controller", "garbagecollector"),
  supported("daemonset-controller", "daemonset"),
  supported("job-controller", "job"),
  supported("ttl-after-finished-controller", "ttl-after-finished"),
  supported("deployment-controller", "deployment"),
  supported("replicaset-controller", "replicaset"),
  supported("replicationcontroller-controller", "replicationcontroller"),
  supported("resourcequota-controller", "resourcequota"),
  supported("cronjob-controller", "cronjob"),
  supported("horizontal-pod-autoscaler-controller", "horizontalpodautoscaling"),
  supported("endpointslice-mirroring-controller", "endpointslicemirroring"),
  supported("disruption-controller", "disruption"),
  supported("statefulset-controller", "statefulset"),
  { ...supported("node-ipam-controller", "nodeipam"), metric: "nodeipam" },
  supported("node-lifecycle-controller", "nodelifecycle"),
  supported("taint-eviction-controller"),
  supported("persistentvolume-attach-detach-controller", "attachdetach"),
  supported("persistentvolume-binder-controller", "persistentvolume-binder"),
  supported("persistentvolumeclaim-protection-controller", "pvc-protection"),
  supported("persistentvolume-protection-controller", "pv-protection"),
  supported("volumeattributesclass-protection-controller"),
  supported("ephemeral-volume-controller", "ephemeral-volume"),
  supported("ttl-controller", "ttl"),
  supported("service-cidr-controller"),
  supported("validatingadmissionpolicy-status-controller"),
  supported("root-ca-certificate-publisher-controller", "root-ca-cert-publisher"),
  supported("certificatesigningrequest-signing-controller", "csrsigning"),
  supported("certificatesigningrequest-approving-controller", "csrapproving"),
  supported("certificatesigningrequest-cleaner-controller", "csrcleaner"),
  { ...supported("bootstrap-signer-controller", "bootstrapsigner"), offByDefault: true },
  { ...supported("token-cleaner-controller", "tokencleaner"), offByDefault: true },
  offByDefault("selinux-warning-controller"),
  unsupported("podcertificaterequest-cleaner-controller"),
  supported("device-taint-eviction-controller"),
  unsupported("service-lb-controller", "service"),
  unsupported("node-route-controller", "route"),
  unsupported("cloud-node-lifecycle-controller", "cloud-node-lifecycle"),
  supported("persistentvolume-expander-controller", "persistentvolume-expander"),
  unsupported("storageversion-garbage-collector-controller", "storage-version-gc"),
  supported("resourceclaim-controller", "resource-claim-controller"),
  supported("legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner"),
  unsupported("storage-version-migrator-controller"),
  unsupported("podgroup-protection-controller"),
  unsupported("resourcepoolstatusrequest-controller"),
  unsupported("kube-apiserver-serving-clustertrustbundle-publisher-controller")
]

/**
 * The controllers of cloud-controller-manager. Upstream: staging/src/k8s.io/cloud-provider/names/controller_names.go.
 */
export const cloudControllers: ReadonlyArray<KnownController> = [
  { ...supported("cloud-node-controller", "cloud-node"), metric: "cloud-node" },
  { ...supported("cloud-node-lifecycle-controller", "cloud-node-lifecycle"), metric: "cloud-node-lifecycle" },
  unsupported("service-lb-controller", "service"),
  unsupported("node-route-controller", "route")
]

const withoutDash = (entry: string): string => (entry.startsWith("-") ? entry.slice(1) : entry)

const findIn = (known: ReadonlyArray<KnownController>, name: string): KnownController | undefined =>
  known.find((controller) => controller.name === name || controller.aliases.includes(name))

/**
 * The flag `--controllers`. Its value has aliases resolved. Upstream:
 * staging/src/k8s.io/controller-manager/options/generic.go.
 */
export const controllersFlag = (known: ReadonlyArray<KnownController>): Flag<ReadonlyArray<string>> => {
  const names = known.flatMap((controller) => [controller.name, ...controller.aliases])
  const resolveEntry = (entry: string): Result.Result<string, string> => {
    if (entry === "*") return Result.succeed(entry)
    const name = withoutDash(entry)
    const found = findIn(known, name)
    return found === undefined
      ? Result.fail(`${JSON.stringify(name)} is not in the list of known controllers${didYouMean(name, names)}`)
      : Result.succeed(`${entry.startsWith("-") ? "-" : ""}${found.name}`)
  }
  const { expected: _, ...texts } = flag.texts(
    "the controllers to run: * enables all that run by default, foo enables foo, -foo disables foo",
    { shown: "*" }
  )
  return {
    ...texts,
    initial: ["*"],
    read: (text, previous = []) => {
      const entries = Result.flatMap(texts.read(text, []), (given) => Result.all(given.map(resolveEntry)))
      return Result.map(entries, (entries) => [...previous, ...entries])
    }
  }
}

/**
 * Whether a controller runs, given the entries of `--controllers`. Upstream:
 * staging/src/k8s.io/controller-manager/app/helper.go IsControllerEnabled.
 */
export const isEnabled = (
  entries: ReadonlyArray<string>,
  name: string,
  known: ReadonlyArray<KnownController> = managerControllers
): boolean => {
  const explicit = entries.find((entry) => withoutDash(entry) === name)
  if (explicit !== undefined) return explicit === name
  return entries.includes("*") && findIn(known, name)?.offByDefault !== true
}

/** Returns the controllers that are enabled by name and that Rollcall lacks. */
export const missingControllers = (
  entries: ReadonlyArray<string>,
  known: ReadonlyArray<KnownController>
): ReadonlyArray<string> => entries.filter((entry) => findIn(known, entry)?.supported === false)
