/** Invalid input of a kubelet: flags (`@` is the folder of the files), files, and the message without `rollcall: `. */
export type BadKubelet = readonly [args: string, message: string, files?: Readonly<Record<string, string>>]

const meta = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" }

/** A configuration file with these fields. */
const config = (fields: Readonly<Record<string, unknown>>) => ({ "k.yaml": JSON.stringify({ ...meta, ...fields }) })

const file = (fields: Readonly<Record<string, unknown>>, message: string): BadKubelet => [
  "--config=@/k.yaml",
  `@/k.yaml: ${message}`,
  config(fields)
]

/** An invalid configuration file, with the message of its validation. */
const invalid = (fields: Readonly<Record<string, unknown>>, message: string): BadKubelet =>
  file(fields, `invalid configuration: ${message}`)

const flag = (args: string, message: string): BadKubelet => [args, `command line: ${message}`]

/** What reading the words says of them. */
const words = (args: string, message: string): BadKubelet =>
  flag(args, `${message}\nSee 'rollcall kubelet --help' for usage.`)

/** The last of these words has no value of its flag. */
const argument = (args: string, reason: string): BadKubelet => {
  const [, name = "", text = ""] = /(--[\w-]+)=(\S*)$/.exec(args) ?? []
  return words(args, `invalid argument ${JSON.stringify(text)} for "${name}" flag: ${reason}`)
}

const int32 = "expected a whole number of at most 32 bits"

const qualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const allowedLabels =
  "--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (kubelet.kubernetes.io, node.kubernetes.io) or be in the specifically allowed set (beta.kubernetes.io/arch, beta.kubernetes.io/instance-type, beta.kubernetes.io/os, failure-domain.beta.kubernetes.io/region, failure-domain.beta.kubernetes.io/zone, kubernetes.io/arch, kubernetes.io/hostname, kubernetes.io/os, node.kubernetes.io/instance-type, topology.kubernetes.io/region, topology.kubernetes.io/zone)"
const enforce = "enforceNodeAllocatable (--enforce-node-allocatable)"

const flags: ReadonlyArray<BadKubelet> = [
  words("--max-pod=5", 'unknown flag: --max-pod; did you mean "--max-pods"?'),
  words("--entirely-else=5", "unknown flag: --entirely-else"),
  words("-max-pods=5", `unknown shorthand flag: 'm' in -max-pods=5; did you mean "--max-pods"?`),
  argument("--max-pods=many", `strconv.ParseInt: parsing "many": invalid syntax; ${int32}`),
  argument("--max-pods=3000000000", `strconv.ParseInt: parsing "3000000000": value out of range; ${int32}`),
  argument("--max-pods=1.5", `strconv.ParseInt: parsing "1.5": invalid syntax; ${int32}`),
  words("--max-pods", `flag needs an argument: --max-pods; ${int32}`),
  argument("--register-node=yes", 'strconv.ParseBool: parsing "yes": invalid syntax; expected true or false'),
  argument("--fail-swap-on=2", 'strconv.ParseBool: parsing "2": invalid syntax; expected true or false'),
  argument("--sync-frequency=60", 'time: missing unit in duration "60"; expected a duration such as 40s or 5m'),
  argument(
    "--node-status-update-frequency=10sec",
    'time: unknown unit "sec" in duration "10sec"; expected a duration such as 40s or 5m'
  ),
  argument("--healthz-bind-address=localhost", '"localhost" is not a valid IP address'),
  words("manifests", 'rollcall kubelet does not take any arguments, got ["manifests"]'),
  flag("--release=latest", '--release: found "latest", expected one of 1.4, 1.26, 1.31, 1.35, 1.36'),
  flag("--hostname-override=\t", "--hostname-override: empty hostname is invalid"),
  // Addresses
  flag(
    "--node-ip=1.2.3.4,5.6.7.8",
    '--node-ip: bad --node-ip "1.2.3.4,5.6.7.8": must contain either a single IP or a dual-stack pair of IPs'
  ),
  flag(
    "--node-ip=1.2.3.4,::1,::2",
    '--node-ip: bad --node-ip "1.2.3.4,::1,::2": must contain either a single IP or a dual-stack pair of IPs'
  ),
  flag(
    "--node-ip=0.0.0.0,::1",
    `--node-ip: bad --node-ip "0.0.0.0,::1": dual-stack node IP cannot include '0.0.0.0' or '::'`
  ),
  flag(
    "--node-ip=1.2.3.4,abcd::1 --cloud-provider=aws",
    '--node-ip: bad --node-ip "1.2.3.4,abcd::1": dual-stack not supported in this configuration'
  ),
  // Labels
  flag(
    "--node-labels=kubernetes.io/foo=a",
    `--node-labels: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [kubernetes.io/foo]\n${allowedLabels}`
  ),
  flag(
    "--node-labels=node-role.kubernetes.io/worker=,x.k8s.io/y=1",
    `--node-labels: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [node-role.kubernetes.io/worker x.k8s.io/y]\n${allowedLabels}`
  ),
  flag("--node-labels=a=b,=c", `--node-labels: invalid node labels: '' - name part must be non-empty, ${qualified}`),
  flag("--node-labels=a=-b", `--node-labels: invalid node labels: '-b' - ${labelValue}`),
  // Taints
  argument("--register-with-taints=k=v:Never", "invalid taint effect: Never, unsupported taint effect"),
  argument(
    "--register-with-taints=k=v",
    "invalid taint spec: k=v, name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
  ),
  argument("--register-with-taints=k", "invalid taint spec: k"),
  argument("--register-with-taints=k=v=w:NoSchedule", "invalid taint spec: k=v=w:NoSchedule"),
  argument("--register-with-taints=k:a:NoSchedule", "invalid taint spec: k:a:NoSchedule"),
  argument(
    "--register-with-taints=k=v:NoSchedule,k=w:NoSchedule",
    "duplicated taints with the same key and effect: {k w NoSchedule <nil>}"
  ),
  argument(
    "--register-with-taints=k=v:NoSchedule,",
    `invalid taint spec: , name part must be non-empty, ${qualified}`.replace("non-empty, ", "non-empty; ")
  ),
  argument(
    "--register-with-taints==v:NoExecute",
    `invalid taint spec: =v:NoExecute, name part must be non-empty; ${qualified}`
  ),
  argument("--register-with-taints=k=-v:NoExecute", `invalid taint spec: k=-v:NoExecute, ${labelValue}`),
  // Maps
  argument("--eviction-hard=memory.available=100Mi", "malformed pair, expect string<string"),
  argument("--eviction-minimum-reclaim=memory.available", "malformed pair, expect string=string"),
  argument("--system-reserved=cpu", "malformed pair, expect string=string"),
  argument("--cpu-manager-policy-options=full-pcpus-only", "malformed pair, expect string=string"),
  argument("--feature-gates=NodeSwap", "malformed pair, expect string=bool"),
  argument(
    "--feature-gates=MemoryQoS=on",
    'invalid value of MemoryQoS: on, err: strconv.ParseBool: parsing "on": invalid syntax'
  ),
  flag(
    "--feature-gates=GracefulNodeShutdwn=true",
    '--feature-gates: unrecognized feature gate: GracefulNodeShutdwn; did you mean "GracefulNodeShutdown"?'
  ),
  flag(
    "--feature-gates=NodeSwap=false",
    "--feature-gates: cannot set feature gate NodeSwap to false, feature is locked to true"
  ),
  flag(
    "--feature-gates=GracefulNodeShutdown=false",
    "--feature-gates: GracefulNodeShutdownBasedOnPodPriority is enabled, but depends on features that are disabled: [GracefulNodeShutdown]"
  ),
  argument("--manifest-url-header=a", "malformed pair, expect string:string"),
  // Reserved memory
  argument(
    "--reserved-memory=memory=1Gi",
    "the reserved memory has incorrect format, expected numaNodeID:type=quantity[,type=quantity...], got memory=1Gi"
  ),
  argument("--reserved-memory=a:memory=1Gi", "failed to convert the NUMA node ID, exptected integer, got a"),
  argument(
    "--reserved-memory=0:memory",
    "the reserved limit has incorrect value, expected type=quantatity, got memory"
  ),
  argument("--reserved-memory=0:cpu=1", 'memory type conversion error, unknown type: "cpu"'),
  argument("--reserved-memory=0:memory=1gi", "failed to parse the quantatity, expected quantatity, got 1gi"),
  flag(
    "--reserved-memory=0:memory=0",
    'invalid configuration: reserved memory may not be zero for NUMA node 0 and resource "memory"'
  ),
  flag(
    "--reserved-memory=0:memory=1Gi --reserved-memory=0:memory=2Gi",
    'invalid configuration: the reserved memory has a duplicate value for NUMA node 0 and resource "memory"'
  ),
  // Flags that are validated with their configuration field
  flag("--max-pods=-1", "invalid configuration: maxPods (--max-pods) -1 must not be a negative number"),
  flag("--pods-per-core=-1", "invalid configuration: podsPerCore (--pods-per-core) -1 must not be a negative number"),
  flag(
    "--node-status-max-images=-2",
    "invalid configuration: nodeStatusMaxImages (--node-status-max-images) -2 must be -1 or greater"
  ),
  flag("--port=70000", "invalid configuration: port (--port) 70000 must be between 1 and 65535, inclusive"),
  flag(
    "--topology-manager-policy=strict",
    'invalid configuration: topologyManagerPolicy (--topology-manager-policy) "strict" must be one of: ["none" "best-effort" "restricted" "single-numa-node"]'
  ),
  flag(
    "--topology-manager-scope=node",
    'invalid configuration: topologyManagerScope (--topology-manager-scope) "node" must be one of: "container", or "pod"'
  ),
  flag(
    "--reserved-cpus=3-1",
    'invalid configuration: unable to parse reservedSystemCPUs (--reserved-cpus) 3-1, error: invalid range "3-1" (3 > 1)'
  ),
  flag(
    "--reserved-cpus=a",
    'invalid configuration: unable to parse reservedSystemCPUs (--reserved-cpus) a, error: strconv.Atoi: parsing "a": invalid syntax'
  ),
  flag(
    "--reserved-cpus=0 --kube-reserved-cgroup=/k",
    "invalid configuration: can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)"
  ),
  flag("--cpu-manager-policy=dynamic", 'unknown policy: "dynamic"'),
  flag("--memory-manager-policy=static", 'unknown policy: "static"'),
  flag("--system-reserved=gpu=1", '--system-reserved value failed to parse: cannot reserve "gpu" resource'),
  flag(
    "--kube-reserved=cpu=1x",
    '--kube-reserved value failed to parse: failed to parse quantity "1x" for "cpu" resource: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\''
  ),
  flag(
    "--kube-reserved=memory=-1Gi",
    '--kube-reserved value failed to parse: resource quantity for "memory" cannot be negative: -1Gi'
  ),
  flag("--eviction-hard=memory.free<100Mi", "unsupported eviction signal memory.free"),
  flag("--eviction-hard=memory.available<-1", "eviction threshold memory.available must be positive: -1"),
  flag("--eviction-hard=nodefs.available<110%", "eviction percentage threshold nodefs.available must be <= 100%: 110%"),
  flag(
    "--eviction-soft=memory.available<1Gi",
    "grace period must be specified for the soft eviction threshold memory.available"
  ),
  flag(
    "--eviction-soft=memory.available<1Gi --eviction-soft-grace-period=memory.available=90",
    'time: missing unit in duration "90"'
  ),
  flag("--enforce-node-allocatable=pods,pods", `invalid configuration: duplicated enforcements "pods" in ${enforce}`),
  flag(
    "--enforce-node-allocatable=none,pods",
    `invalid configuration: ${enforce} may not contain additional enforcements when "none" is specified`
  ),
  flag(
    "--enforce-node-allocatable=kube-reserved",
    `invalid configuration: kubeReservedCgroup (--kube-reserved-cgroup) must be specified when "kube-reserved" or "kube-reserved-compressible" included in ${enforce}`
  ),
  flag(
    "--image-gc-low-threshold=90",
    "invalid configuration: imageGCLowThresholdPercent (--image-gc-low-threshold) 90 must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 85"
  ),
  // Removed flags
  flag(
    "--container-runtime=remote",
    "--container-runtime: is no flag of kubelet 1.36 any more; containers run by the Container Runtime Interface only"
  ),
  flag("--api-servers=http://x:8080", "--api-servers: is no flag of kubelet 1.36 any more; use --kubeconfig"),
  flag(
    "--network-plugin=cni",
    "--network-plugin: is no flag of kubelet 1.36 any more; the container runtime configures CNI"
  ),
  flag(
    "--allow-privileged",
    "--allow-privileged: is no flag of kubelet 1.36 any more; Pod Security admission decides that"
  ),
  flag(
    "--release=1.31 --logtostderr",
    "--logtostderr: is no flag of kubelet 1.31 any more; use --logging-format and the logging of whatever starts the program"
  )
]

const files: ReadonlyArray<BadKubelet> = [
  ["--config=@/none.yaml", "@/none.yaml: no such file"],
  ["--config=@/k.yaml", "@/k.yaml: is empty, expected YAML or JSON", { "k.yaml": "" }],
  ["--config=@/k.yaml", '@/k.yaml: found ["a"], expected a KubeletConfiguration', { "k.yaml": "[a]" }],
  ["--config=@/k.json", "@/k.json:1: not JSON: Expected property name or '}' in JSON at column 2", { "k.json": "{a" }],
  [
    "--config=@/k.yaml",
    "@/k.yaml: kind: is required, expected KubeletConfiguration",
    { "k.yaml": "apiVersion: kubelet.config.k8s.io/v1beta1" }
  ],
  [
    "--config=@/k.yaml",
    '@/k.yaml: apiVersion: found "v1", expected kubelet.config.k8s.io/v1beta1\n@/k.yaml: kind: found "Pod", expected KubeletConfiguration',
    { "k.yaml": "{ apiVersion: v1, kind: Pod }" }
  ],
  file(
    { apiVersion: "kubelet.config.k8s.io/v1alpha1" },
    'apiVersion: found "kubelet.config.k8s.io/v1alpha1", expected kubelet.config.k8s.io/v1beta1'
  ),
  file({ maxPod: 5 }, 'maxPod: unknown field; did you mean "maxPods"?'),
  file(
    { memorySwap: { swapBehaviour: "NoSwap" } },
    'memorySwap.swapBehaviour: unknown field; did you mean "swapBehavior"?'
  ),
  file({ maxPods: "110" }, 'maxPods: found "110", expected a whole number of at most 32 bits'),
  file({ maxPods: 4294967296 }, "maxPods: found 4294967296, expected a whole number of at most 32 bits"),
  file({ registerNode: "false" }, 'registerNode: found "false", expected true or false'),
  file({ syncFrequency: 60 }, "syncFrequency: found 60, expected a duration such as 40s or 5m"),
  file(
    { shutdownGracePeriod: "1 minute" },
    'shutdownGracePeriod: found "1 minute", expected a duration such as 40s or 5m'
  ),
  file({ evictionHard: { "memory.available": 100 } }, "evictionHard.memory.available: found 100, expected a text"),
  file({ evictionHard: "memory.available<100Mi" }, 'evictionHard: found "memory.available<100Mi", expected a map'),
  file({ enforceNodeAllocatable: "pods" }, 'enforceNodeAllocatable: found "pods", expected a list'),
  file({ allowedUnsafeSysctls: ["a", 1] }, "allowedUnsafeSysctls[1]: found 1, expected a text"),
  file({ memorySwap: "LimitedSwap" }, 'memorySwap: found "LimitedSwap", expected an object'),
  file({ featureGates: { NodeSwap: "true" } }, 'featureGates.NodeSwap: found "true", expected true or false'),
  file({ featureGates: { Nothing: true } }, "featureGates: unrecognized feature gate: Nothing"),
  file(
    { reservedMemory: [{ numaNode: 0, limits: { memory: "1gb" } }] },
    'reservedMemory[0].limits.memory: found "1gb", expected a quantity such as 500m or 1Gi'
  ),
  file(
    { logging: { verbosity: "high" }, tlsCipherSuites: [1] },
    'tlsCipherSuites[0]: found 1, expected a text\n@/k.yaml: logging.verbosity: found "high", expected a whole number'
  ),
  invalid({ nodeLeaseDurationSeconds: -1 }, "nodeLeaseDurationSeconds must be greater than 0"),
  invalid(
    { systemCgroups: "/s" },
    "systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified"
  ),
  invalid({ healthzPort: 70000 }, "healthzPort (--healthz-port) 70000 must be between 1 and 65535, inclusive"),
  invalid(
    { cpuCFSQuotaPeriod: "200ms" },
    "cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {200ms} requires feature gate CustomCPUCFSQuotaPeriod"
  ),
  invalid(
    { cpuCFSQuotaPeriod: "2s", featureGates: { CustomCPUCFSQuotaPeriod: true } },
    "cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {2s} must be between 1ms and 1sec, inclusive"
  ),
  invalid({ imageMaximumGCAge: "1m" }, "imageMaximumGCAge 1m0s must be greater than imageMinimumGCAge 2m0s"),
  invalid({ oomScoreAdj: 1001 }, "oomScoreAdj (--oom-score-adj) 1001 must be between -1000 and 1000, inclusive"),
  invalid(
    { maxParallelImagePulls: 3, serializeImagePulls: true },
    "maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false"
  ),
  file({ registerWithTaints: [{ key: "a b", effect: "NoSchedule" }] }, "invalid taint: {a b  NoSchedule <nil>}"),
  invalid(
    { registerWithTaints: [{ key: "a", effect: "NoExecute", timeAdded: "2026-01-01T00:00:00Z" }] },
    "taint.TimeAdded is not nil"
  ),
  invalid(
    { shutdownGracePeriod: "10s", shutdownGracePeriodCriticalPods: "20s" },
    "shutdownGracePeriodCriticalPods {20s} must be <= shutdownGracePeriod {10s}"
  ),
  invalid({ shutdownGracePeriod: "500ms" }, "shutdownGracePeriod {500ms} must be either zero or otherwise >= 1 sec"),
  invalid(
    { shutdownGracePeriod: "10s", shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 5 }] },
    "Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time"
  ),
  invalid(
    { memorySwap: { swapBehavior: "UnlimitedSwap" } },
    'memorySwap.swapBehavior "UnlimitedSwap" must be one of: "", "LimitedSwap" or "NoSwap"'
  ),
  invalid(
    { crashLoopBackOff: { maxContainerRestartPeriod: "301s" } },
    "CrashLoopBackOff.MaxContainerRestartPeriod (got: 301 seconds) must be set between 1s and 300s"
  ),
  invalid(
    { enforceNodeAllocatable: ["everything"] },
    `option "everything" specified for ${enforce}. Valid options are "pods", "system-reserved", "system-reserved-compressible", "kube-reserved", "kube-reserved-compressible" or "none"`
  ),
  invalid(
    { cgroupsPerQOS: false },
    `cgroupsPerQOS (--cgroups-per-qos) must be set to true when "pods" contained in ${enforce}`
  ),
  invalid(
    { hairpinMode: "bridge" },
    'option "bridge" specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"'
  ),
  invalid(
    { memoryThrottlingFactor: 1.5 },
    "memoryThrottlingFactor 1.5 must be greater than 0 and less than or equal to 1.0"
  ),
  invalid({ containerLogMaxFiles: 1 }, "containerLogMaxFiles must be greater than 1"),
  invalid(
    { containerLogMonitorInterval: "2s" },
    "containerLogMonitorInterval must be a positive time duration greater than or equal to 3s"
  ),
  invalid({ podLogsDir: "logs" }, 'pod logs path "logs" must be absolute path'),
  invalid(
    { reservedMemory: [{ numaNode: 0, limits: { cpu: 1 } }] },
    'the limit type "cpu" for NUMA node 0 is not supported, only [memory hugepages-<HugePageSize>] is accepted'
  ),
  file({ maxPods: -1, port: 0.5 }, "port: found 0.5, expected a whole number of at most 32 bits"),
  file(
    { maxPods: -1, podsPerCore: -2 },
    "[invalid configuration: maxPods (--max-pods) -1 must not be a negative number, invalid configuration: podsPerCore (--pods-per-core) -2 must not be a negative number]"
  ),
  file(
    { evictionMinimumReclaim: { "memory.available": "-1" } },
    "negative eviction minimum reclaim specified for memory.available"
  ),
  file(
    { showHiddenMetricsForVersion: "1.30" },
    "--show-hidden-metrics-for-version must be omitted or have the value '1.35'. Only the previous minor version is allowed"
  ),
  file({ logging: { format: "xml" } }, 'logging.format: Invalid value: "xml": Unsupported log format'),
  file(
    { tracing: { samplingRatePerMillion: -1 } },
    "tracing.samplingRatePerMillion: Invalid value: -1: sampling rate must be positive"
  ),
  [
    "--config=@/k.yaml",
    "@/k.yaml:2: not YAML: Map keys must be unique at column 1",
    { "k.yaml": "maxPods: 1\nmaxPods: 2" }
  ],
  ["--config-dir=@/none", "@/none: no such folder"],
  [
    "--config=@/k.yaml --config-dir=@",
    "@/a.conf: apiVersion: is required, expected kubelet.config.k8s.io/v1beta1\n@/a.conf: kind: is required, expected KubeletConfiguration",
    { ...config({}), "a.conf": "maxPods: 5" }
  ],
  [
    "--config=@/k.yaml --config-dir=@",
    "@/k.yaml, @/a.conf: invalid configuration: maxPods (--max-pods) -5 must not be a negative number",
    { ...config({ maxPods: 3 }), "a.conf": JSON.stringify({ ...meta, maxPods: -5 }) }
  ],
  [
    "--config=@/k.yaml --max-pods=-3",
    "@/k.yaml: invalid configuration: maxPods (--max-pods) -3 must not be a negative number",
    config({ maxPods: 3 })
  ]
]

const ofRelease = (release: string, fields: Readonly<Record<string, unknown>>, message: string): BadKubelet => [
  `--config=@/k.yaml --release=${release}`,
  `@/k.yaml: ${message}`,
  config(fields)
]

/** Input that the machine does not support: it has 8 CPUs, 32Gi and one NUMA node. */
const machine: ReadonlyArray<BadKubelet> = [
  [
    "--system-reserved=cpu=9",
    'kubelet: invalid Node Allocatable configuration. Resource "cpu" has a reservation of 9 but capacity of 8. Expected capacity >= reservation.'
  ],
  [
    "--kube-reserved=memory=20Gi --system-reserved=memory=20Gi",
    'kubelet: invalid Node Allocatable configuration. Resource "memory" has a reservation of 41060Mi but capacity of 32Gi. Expected capacity >= reservation.'
  ],
  [
    "--cpu-manager-policy=static --cpu-manager-policy-options=fast=true --system-reserved=cpu=1",
    'kubelet: new static policy error: unknown CPU Manager Policy option: "fast"'
  ],
  ["--cpu-manager-policy=static --reserved-cpus=8", "kubelet: reserved-cpus: 8 is not a subset of online-cpus: 0-7"],
  [
    "--topology-manager-policy=restricted --topology-manager-policy-options=max-allowable-numa-nodes=4",
    'kubelet: the minimum value of "max-allowable-numa-nodes" should not be less than 8'
  ],
  ["--cpu-manager-policy=static", "kubelet: [cpumanager] unable to determine reserved CPU resources for static policy"],
  [
    "--memory-manager-policy=Static",
    'kubelet: the total amount "0" of type "memory" is not equal to the value "100Mi" determined by Node Allocatable feature'
  ]
]

const releases: ReadonlyArray<BadKubelet> = [
  ofRelease(
    "1.26",
    { memorySwap: { swapBehavior: "LimitedSwap" } },
    "invalid configuration: memorySwap.swapBehavior cannot be set when NodeSwap feature flag is disabled"
  ),
  ofRelease(
    "1.26",
    { memorySwap: { swapBehavior: "NoSwap" }, featureGates: { NodeSwap: true } },
    'invalid configuration: memorySwap.swapBehavior "NoSwap" must be one of: "", "LimitedSwap" or "UnlimitedSwap"'
  ),
  ofRelease(
    "1.31",
    { crashLoopBackOff: { maxContainerRestartPeriod: "60s" } },
    "invalid configuration: FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set"
  ),
  ofRelease(
    "1.31",
    { featureGates: { NodeDeclaredFeatures: true } },
    "featureGates: unrecognized feature gate: NodeDeclaredFeatures"
  ),
  ofRelease(
    "1.26",
    { topologyManagerPolicyOptions: { "prefer-closest-numa-nodes": "true" } },
    'topology manager policy options map[prefer-closest-numa-nodes:true] require feature gates "TopologyManagerPolicyOptions" enabled'
  )
]

export const badKubelets: ReadonlyArray<BadKubelet> = [...flags, ...files, ...machine, ...releases]
