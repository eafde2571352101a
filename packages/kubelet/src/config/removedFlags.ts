/** A flag that releases of kubelet had and the newest release does not have. */
export interface RemovedFlag {
  readonly name: string
  /** The minor version of the last release with the flag: 23 for 1.23. */
  readonly lastMinor: number
  /** The flag is a boolean, which may be given without a value. */
  readonly isSwitch?: true
  /** What to do instead: the end of the error message. */
  readonly advice: string
}

const cri = "containers run by the Container Runtime Interface only"
const cni = "the container runtime configures CNI"
const logs = "use --logging-format and the logging of whatever starts the program"
const admission = "Pod Security admission decides that"
const eviction = "use --eviction-hard"
const useFlag = (flag: string) => `use --${flag}`

type RemovedFlagRow = readonly [name: string, lastMinor: number, advice: string, isSwitch?: true]

const rows: ReadonlyArray<RemovedFlagRow> = [
  ["api-servers", 7, "use --kubeconfig"],
  ["auth-path", 5, "use --kubeconfig"],
  ["require-kubeconfig", 9, "a kubeconfig is all that is looked at", true],
  ["allow-privileged", 14, admission, true],
  ["host-network-sources", 14, admission],
  ["host-pid-sources", 14, admission],
  ["host-ipc-sources", 14, admission],
  ["configure-cbr0", 6, cni, true],
  ["reconcile-cidr", 6, cni, true],
  ["non-masquerade-cidr", 23, cni],
  ["network-plugin", 23, cni],
  ["network-plugin-dir", 8, cni],
  ["network-plugin-mtu", 23, cni],
  ["cni-bin-dir", 23, cni],
  ["cni-cache-dir", 23, cni],
  ["cni-conf-dir", 23, cni],
  ["docker-endpoint", 23, cri],
  ["docker-exec-handler", 7, cri],
  ["image-pull-progress-deadline", 23, cri],
  ["experimental-dockershim-root-directory", 23, cri],
  ["redirect-container-streaming", 21, cri, true],
  ["container-runtime", 26, cri],
  ["runtime-integrity-check", 8, cri],
  ["rkt-path", 9, cri],
  ["rkt-api-endpoint", 9, cri],
  ["rkt-stage1-image", 9, cri],
  ["pod-infra-container-image", 34, "the container runtime names its own sandbox image"],
  ["cadvisor-port", 11, "read /metrics/cadvisor"],
  ["low-diskspace-threshold-mb", 8, eviction],
  ["outofdisk-transition-frequency", 8, eviction],
  ["dynamic-config-dir", 23, "use --config and --config-dir"],
  ["init-config-dir", 10, "use --config and --config-dir"],
  ["master-service-namespace", 26, "services are seen in every namespace"],
  ["keep-terminated-pod-volumes", 30, "volumes go with their pod", true],
  ["seccomp-profile-root", 22, "profiles lie in seccomp under --root-dir"],
  ["experimental-bootstrap-kubeconfig", 12, "use --bootstrap-kubeconfig"],
  ["experimental-kernel-memcg-notification", 22, "use --kernel-memcg-notification", true],
  ["experimental-check-node-capabilities-before-mount", 23, "it is always so", true],
  ["experimental-fail-swap-on", 9, "use --fail-swap-on", true],
  ["azure-container-registry-config", 29, "use --image-credential-provider-config"],
  ["resource-container", 19, useFlag("kubelet-cgroups")],
  ["system-container", 19, useFlag("system-cgroups")],
  ["babysit-daemons", 6, "whatever starts the programs watches them", true],
  ["chaos-chance", 18, "rollcall fault breaks things"],
  ["really-crash-for-testing", 22, "rollcall fault breaks things", true],
  ["enable-custom-metrics", 10, "metrics have an API of their own", true],
  ["containerized", 15, "it is found out", true],
  ["enable-cadvisor-json-endpoints", 20, "read /metrics/cadvisor", true],
  ["add-dir-header", 25, logs, true],
  ["alsologtostderr", 25, logs, true],
  ["log-backtrace-at", 25, logs],
  ["log-dir", 25, logs],
  ["log-file", 25, logs],
  ["log-file-max-size", 25, logs],
  ["logtostderr", 25, logs, true],
  ["one-output", 25, logs, true],
  ["skip-headers", 25, logs, true],
  ["skip-log-headers", 25, logs, true],
  ["stderrthreshold", 25, logs]
]

/** All removed flags. Upstream: the changelogs of the releases after `lastMinor`. */
export const removedFlags: ReadonlyArray<RemovedFlag> = rows.map(([name, lastMinor, advice, isSwitch]) => ({
  name,
  lastMinor,
  advice,
  ...(isSwitch === true ? { isSwitch } : {})
}))
