import { didYouMean } from "@rollcall/api/text"
import { type Flag, flag } from "@rollcall/flags"
import * as Result from "effect/Result"

/** A controller that `--controllers` can name. */
export interface KnownController {
  readonly name: string
  /** Former names, which are still accepted. */
  readonly aliases: ReadonlyArray<string>
  /** `*` does not include it. */
  readonly offByDefault?: true
  /** Rollcall supports it. */
  readonly here: boolean
  /** Its name in the metric `running_managed_controllers`; absent: not counted. */
  readonly metric?: string
}

const here = (name: string, ...aliases: ReadonlyArray<string>): KnownController => ({ name, aliases, here: true })
const elsewhere = (name: string, ...aliases: ReadonlyArray<string>): KnownController => ({
  name,
  aliases,
  here: false
})
const offByDefault = (name: string, ...aliases: ReadonlyArray<string>): KnownController => ({
  ...elsewhere(name, ...aliases),
  offByDefault: true
})

/** Upstream: cmd/kube-controller-manager/names/controller_names.go and the aliases of app/*.go. */
export const managerControllers: ReadonlyArray<KnownController> = [
  here("endpoints-controller", "endpoint"),
  here("endpointslice-controller", "endpointslice"),
  here("pod-garbage-collector-controller", "podgc"),
  here("namespace-controller", "namespace"),
  here("serviceaccount-controller", "serviceaccount"),
  here("garbage-collector-controller", "garbagecollector"),
  here("daemonset-controller", "daemonset"),
  here("job-controller", "job"),
  here("ttl-after-finished-controller", "ttl-after-finished"),
  here("deployment-controller", "deployment"),
  here("replicaset-controller", "replicaset"),
  here("disruption-controller", "disruption"),
  here("statefulset-controller", "statefulset"),
  { ...here("node-ipam-controller", "nodeipam"), metric: "nodeipam" },
  here("node-lifecycle-controller", "nodelifecycle"),
  here("taint-eviction-controller"),
  here("persistentvolume-attach-detach-controller", "attachdetach"),
  here("persistentvolume-binder-controller", "persistentvolume-binder"),
  here("persistentvolumeclaim-protection-controller", "pvc-protection"),
  here("persistentvolume-protection-controller", "pv-protection"),
  here("ephemeral-volume-controller", "ephemeral-volume"),
  here("root-ca-certificate-publisher-controller", "root-ca-cert-publisher"),
  offByDefault("bootstrap-signer-controller", "bootstrapsigner"),
  offByDefault("token-cleaner-controller", "tokencleaner"),
  offByDefault("selinux-warning-controller"),
  elsewhere("serviceaccount-token-controller", "serviceaccount-token"),
  elsewhere("endpointslice-mirroring-controller", "endpointslicemirroring"),
  elsewhere("replicationcontroller-controller", "replicationcontroller"),
  elsewhere("resourcequota-controller", "resourcequota"),
  elsewhere("horizontal-pod-autoscaler-controller", "horizontalpodautoscaling"),
  elsewhere("cronjob-controller", "cronjob"),
  elsewhere("certificatesigningrequest-signing-controller", "csrsigning"),
  elsewhere("certificatesigningrequest-approving-controller", "csrapproving"),
  elsewhere("certificatesigningrequest-cleaner-controller", "csrcleaner"),
  elsewhere("podcertificaterequest-cleaner-controller"),
  elsewhere("ttl-controller", "ttl"),
  elsewhere("device-taint-eviction-controller"),
  elsewhere("service-lb-controller", "service"),
  elsewhere("node-route-controller", "route"),
  elsewhere("cloud-node-lifecycle-controller", "cloud-node-lifecycle"),
  elsewhere("persistentvolume-expander-controller", "persistentvolume-expander"),
  elsewhere("clusterrole-aggregation-controller", "clusterrole-aggregation"),
  elsewhere("volumeattributesclass-protection-controller"),
  elsewhere("storageversion-garbage-collector-controller", "storage-version-gc"),
  elsewhere("resourceclaim-controller", "resource-claim-controller"),
  elsewhere("legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner"),
  elsewhere("validatingadmissionpolicy-status-controller"),
  elsewhere("service-cidr-controller"),
  elsewhere("storage-version-migrator-controller"),
  elsewhere("kube-apiserver-serving-clustertrustbundle-publisher-controller")
]

/** Upstream: staging/src/k8s.io/cloud-provider/names/controller_names.go. */
export const cloudControllers: ReadonlyArray<KnownController> = [
  { ...here("cloud-node-controller", "cloud-node"), metric: "cloud-node" },
  { ...here("cloud-node-lifecycle-controller", "cloud-node-lifecycle"), metric: "cloud-node-lifecycle" },
  elsewhere("service-lb-controller", "service"),
  elsewhere("node-route-controller", "route")
]

const withoutSign = (entry: string): string => (entry.startsWith("-") ? entry.slice(1) : entry)

const findIn = (known: ReadonlyArray<KnownController>, name: string): KnownController | undefined =>
  known.find((controller) => controller.name === name || controller.aliases.includes(name))

/** The flag `--controllers`. Its value has aliases resolved. Upstream: staging/src/k8s.io/controller-manager/options/generic.go. */
export const controllersFlag = (known: ReadonlyArray<KnownController>): Flag<ReadonlyArray<string>> => {
  const names = known.flatMap((controller) => [controller.name, ...controller.aliases])
  const resolved = (entry: string): Result.Result<string, string> => {
    if (entry === "*") return Result.succeed(entry)
    const name = withoutSign(entry)
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
      const entries = Result.flatMap(texts.read(text, []), (given) => Result.all(given.map(resolved)))
      return Result.map(entries, (chosen) => [...previous, ...chosen])
    }
  }
}

/** Returns whether a controller runs. Upstream: staging/src/k8s.io/controller-manager/app/helper.go IsControllerEnabled. */
export const isEnabled = (
  chosen: ReadonlyArray<string>,
  name: string,
  known: ReadonlyArray<KnownController> = managerControllers
): boolean => {
  const explicit = chosen.find((entry) => withoutSign(entry) === name)
  if (explicit !== undefined) return explicit === name
  return chosen.includes("*") && findIn(known, name)?.offByDefault !== true
}

/** Returns the controllers that are enabled by name and that Rollcall lacks. */
export const missingControllers = (
  chosen: ReadonlyArray<string>,
  known: ReadonlyArray<KnownController>
): ReadonlyArray<string> => chosen.filter((entry) => findIn(known, entry)?.here === false)
