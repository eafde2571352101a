/** Invalid input of a kubelet: flags (`@` is the folder of the files), files, and the message without `rollcall: `. */
export type BadKubelet = readonly [args: string, message: string, files?: Readonly<Record<string, string>>]

const meta = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" }

/** A configuration file with these fields. */
const config = (fields: Readonly<Record<string, unknown>>) => ({ "k.yaml": JSON.stringify({ ...meta, ...fields }) })

const badFile = (fields: Readonly<Record<string, unknown>>, message: string): BadKubelet => [
  "--config=@/k.yaml",
  `@/k.yaml: ${message}`,
  config(fields)
]

/** An invalid configuration file, with the message of its validation. */
const badConfiguration = (fields: Readonly<Record<string, unknown>>, message: string): BadKubelet =>
  badFile(fields, `invalid configuration: ${message}`)

const badFlag = (args: string, message: string): BadKubelet => [args, `command line: ${message}`]

/** What reading the words says of them. */
const badCommandLine = (args: string, message: string): BadKubelet =>
  badFlag(args, `${message}\nSee 'rollcall kubelet --help' for usage.`)

/** The last of these words has no value of its flag. */
const badFlagValue = (args: string, reason: string): BadKubelet => {
  const [, name = "", text = ""] = /(--[\w-]+)=(\S*)$/.exec(args) ?? []
  return badCommandLine(args, `invalid argument ${JSON.stringify(text)} for "${name}" flag: ${reason}`)
}

const expectedInt32 = "expected a whole number of at most 32 bits"

const qualifiedNameRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const allowedLabelsRule =
  "--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (kubelet.kubernetes.io, node.kubernetes.io) or be in the specifically allowed set (beta.kubernetes.io/arch, beta.kubernetes.io/instance-type, beta.kubernetes.io/os, failure-domain.beta.kubernetes.io/region, failure-domain.beta.kubernetes.io/zone, kubernetes.io/arch, kubernetes.io/hostname, kubernetes.io/os, node.kubernetes.io/instance-type, topology.kubernetes.io/region, topology.kubernetes.io/zone)"
const enforceField = "enforceNodeAllocatable (--enforce-node-allocatable)"

const badFlags: ReadonlyArray<BadKubelet> = [
  badCommandLine("--max-pod=5", 'unknown flag: --max-pod; did you mean "--max-pods"?'),
  badCommandLine("--entirely-else=5", "unknown flag: --entirely-else"),
  badCommandLine("-max-pods=5", `unknown shorthand flag: 'm' in -max-pods=5; did you mean "--max-pods"?`),
  badFlagValue("--max-pods=many", `strconv.ParseInt: parsing "many": invalid syntax; ${expectedInt32}`),
  badFlagValue("--max-pods=3000000000", `strconv.ParseInt: parsing "3000000000": value out of range; ${expectedInt32}`),
  badFlagValue("--max-pods=1.5", `strconv.ParseInt: parsing "1.5": invalid syntax; ${expectedInt32}`),
  badCommandLine("--max-pods", `flag needs an argument: --max-pods; ${expectedInt32}`),
  badFlagValue("--register-node=yes", 'strconv.ParseBool: parsing "yes": invalid syntax; expected true or false'),
  badFlagValue("--fail-swap-on=2", 'strconv.ParseBool: parsing "2": invalid syntax; expected true or false'),
  badFlagValue("--sync-frequency=60", 'time: missing unit in duration "60"; expected a duration such as 40s or 5m'),
  badFlagValue(
    "--node-status-update-frequency=10sec",
    'time: unknown unit "sec" in duration "10sec"; expected a duration such as 40s or 5m'
  ),
  badFlagValue("--healthz-bind-address=localhost", '"localhost" is not a valid IP address'),
  badCommandLine("manifests", 'rollcall kubelet does not take any arguments, got ["manifests"]'),
  badFlag("--release=latest", '--release: found "latest", expected one of 1.4, 1.26, 1.31, 1.35, 1.36'),
  badFlag("--hostname-override=\t", "--hostname-override: empty hostname is invalid"),
  // Addresses
  badFlag(
    "--node-ip=1.2.3.4,5.6.7.8",
    '--node-ip: bad --node-ip "1.2.3.4,5.6.7.8": must contain either a single IP or a dual-stack pair of IPs'
  ),
  badFlag(
    "--node-ip=1.2.3.4,::1,::2",
    '--node-ip: bad --node-ip "1.2.3.4,::1,::2": must contain either a single IP or a dual-stack pair of IPs'
  ),
  badFlag(
    "--node-ip=0.0.0.0,::1",
    `--node-ip: bad --node-ip "0.0.0.0,::1": dual-stack node IP cannot include '0.0.0.0' or '::'`
  ),
  badFlag(
    "--node-ip=1.2.3.4,abcd::1 --cloud-provider=aws",
    '--node-ip: bad --node-ip "1.2.3.4,abcd::1": dual-stack not supported in this configuration'
  ),
  // Labels
  badFlag(
    "--node-labels=kubernetes.io/foo=a",
    `--node-labels: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [kubernetes.io/foo]\n${allowedLabelsRule}`
  ),
  badFlag(
    "--node-labels=node-role.kubernetes.io/worker=,x.k8s.io/y=1",
    `--node-labels: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [node-role.kubernetes.io/worker x.k8s.io/y]\n${allowedLabelsRule}`
  ),
  badFlag(
    "--node-labels=a=b,=c",
    `--node-labels: invalid node labels: '' - name part must be non-empty, ${qualifiedNameRule}`
  ),
  badFlag("--node-labels=a=-b", `--node-labels: invalid node labels: '-b' - ${labelValueRule}`),
  // Taints
  badFlagValue("--register-with-taints=k=v:Never", "invalid taint effect: Never, unsupported taint effect"),
  badFlagValue(
    "--register-with-taints=k=v",
    "invalid taint spec: k=v, name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
  ),
  badFlagValue("--register-with-taints=k", "invalid taint spec: k"),
  badFlagValue("--register-with-taints=k=v=w:NoSchedule", "invalid taint spec: k=v=w:NoSchedule"),
  badFlagValue("--register-with-taints=k:a:NoSchedule", "invalid taint spec: k:a:NoSchedule"),
  badFlagValue(
    "--register-with-taints=k=v:NoSchedule,k=w:NoSchedule",
    "duplicated taints with the same key and effect: {k w NoSchedule <nil>}"
  ),
  badFlagValue(
    "--register-with-taints=k=v:NoSchedule,",
    `invalid taint spec: , name part must be non-empty, ${qualifiedNameRule}`.replace("non-empty, ", "non-empty; ")
  ),
  badFlagValue(
    "--register-with-taints==v:NoExecute",
    `invalid taint spec: =v:NoExecute, name part must be non-empty; ${qualifiedNameRule}`
  ),
  badFlagValue("--register-with-taints=k=-v:NoExecute", `invalid taint spec: k=-v:NoExecute, ${labelValueRule}`),
  // Maps
  badFlagValue("--eviction-hard=memory.available=100Mi", "malformed pair, expect string<string"),
  badFlagValue("--eviction-minimum-reclaim=memory.available", "malformed pair, expect string=string"),
  badFlagValue("--system-reserved=cpu", "malformed pair, expect string=string"),
  badFlagValue("--cpu-manager-policy-options=full-pcpus-only", "malformed pair, expect string=string"),
  badFlagValue("--feature-gates=NodeSwap", "malformed pair, expect string=bool"),
  badFlagValue(
    "--feature-gates=MemoryQoS=on",
    'invalid value of MemoryQoS: on, err: strconv.ParseBool: parsing "on": invalid syntax'
  ),
  badFlag(
    "--feature-gates=GracefulNodeShutdwn=true",
    '--feature-gates: unrecognized feature gate: GracefulNodeShutdwn; did you mean "GracefulNodeShutdown"?'
  ),
  badFlag(
    "--feature-gates=NodeSwap=false",
    "--feature-gates: cannot set feature gate NodeSwap to false, feature is locked to true"
  ),
  badFlag(
    "--feature-gates=GracefulNodeShutdown=false",
    "--feature-gates: GracefulNodeShutdownBasedOnPodPriority is enabled, but depends on features that are disabled: [GracefulNodeShutdown]"
  ),
  badFlagValue("--manifest-url-header=a", "malformed pair, expect string:string"),
  // Reserved memory
  badFlagValue(
    "--reserved-memory=memory=1Gi",
    "the reserved memory has incorrect format, expected numaNodeID:type=quantity[,type=quantity...], got memory=1Gi"
  ),
  badFlagValue("--reserved-memory=a:memory=1Gi", "failed to convert the NUMA node ID, exptected integer, got a"),
  badFlagValue(
    "--reserved-memory=0:memory",
    "the reserved limit has incorrect value, expected type=quantatity, got memory"
  ),
  badFlagValue("--reserved-memory=0:cpu=1", 'memory type conversion error, unknown type: "cpu"'),
  badFlagValue("--reserved-memory=0:memory=1gi", "failed to parse the quantatity, expected quantatity, got 1gi"),
  badFlag(
    "--reserved-memory=0:memory=0",
    'invalid configuration: reserved memory may not be zero for NUMA node 0 and resource "memory"'
  ),
  badFlag(
    "--reserved-memory=0:memory=1Gi --reserved-memory=0:memory=2Gi",
    'invalid configuration: the reserved memory has a duplicate value for NUMA node 0 and resource "memory"'
  ),
  // Flags that are validated with their configuration field
  badFlag("--max-pods=-1", "invalid configuration: maxPods (--max-pods) -1 must not be a negative number"),
  badFlag(
    "--pods-per-core=-1",
    "invalid configuration: podsPerCore (--pods-per-core) -1 must not be a negative number"
  ),
  badFlag(
    "--node-status-max-images=-2",
    "invalid configuration: nodeStatusMaxImages (--node-status-max-images) -2 must be -1 or greater"
  ),
  badFlag("--port=70000", "invalid configuration: port (--port) 70000 must be between 1 and 65535, inclusive"),
  badFlag(
    "--topology-manager-policy=strict",
    'invalid configuration: topologyManagerPolicy (--topology-manager-policy) "strict" must be one of: ["none" "best-effort" "restricted" "single-numa-node"]'
  ),
  badFlag(
    "--topology-manager-scope=node",
    'invalid configuration: topologyManagerScope (--topology-manager-scope) "node" must be one of: "container", or "pod"'
  ),
  badFlag(
    "--reserved-cpus=3-1",
    'invalid configuration: unable to parse reservedSystemCPUs (--reserved-cpus) 3-1, error: invalid range "3-1" (3 > 1)'
  ),
  badFlag(
    "--reserved-cpus=a",
    'invalid configuration: unable to parse reservedSystemCPUs (--reserved-cpus) a, error: strconv.Atoi: parsing "a": invalid syntax'
  ),
  badFlag(
    "--reserved-cpus=0 --kube-reserved-cgroup=/k",
    "invalid configuration: can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)"
  ),
  badFlag("--cpu-manager-policy=dynamic", 'unknown policy: "dynamic"'),
  badFlag("--memory-manager-policy=static", 'unknown policy: "static"'),
  badFlag("--system-reserved=gpu=1", '--system-reserved value failed to parse: cannot reserve "gpu" resource'),
  badFlag(
    "--kube-reserved=cpu=1x",
    '--kube-reserved value failed to parse: failed to parse quantity "1x" for "cpu" resource: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\''
  ),
  badFlag(
    "--kube-reserved=memory=-1Gi",
    '--kube-reserved value failed to parse: resource quantity for "memory" cannot be negative: -1Gi'
  ),
  badFlag("--eviction-hard=memory.free<100Mi", "unsupported eviction signal memory.free"),
  badFlag(
    "--container-log-max-size=100m",
    'failed to initialize container log manager: failed to parse container log max size "100m": invalid max log size'
  ),
  badFlag("--eviction-hard=memory.available<-1", "eviction threshold memory.available must be positive: -1"),
  badFlag(
    "--eviction-hard=nodefs.available<110%",
    "eviction percentage threshold nodefs.available must be <= 100%: 110%"
  ),
  badFlag(
    "--eviction-soft=memory.available<1Gi",
    "grace period must be specified for the soft eviction threshold memory.available"
  ),
  badFlag(
    "--eviction-soft=memory.available<1Gi --eviction-soft-grace-period=memory.available=90",
    'time: missing unit in duration "90"'
  ),
  badFlag(
    "--enforce-node-allocatable=pods,pods",
    `invalid configuration: duplicated enforcements "pods" in ${enforceField}`
  ),
  badFlag(
    "--enforce-node-allocatable=none,pods",
    `invalid configuration: ${enforceField} may not contain additional enforcements when "none" is specified`
  ),
  badFlag(
    "--enforce-node-allocatable=kube-reserved",
    `invalid configuration: kubeReservedCgroup (--kube-reserved-cgroup) must be specified when "kube-reserved" or "kube-reserved-compressible" included in ${enforceField}`
  ),
  badFlag(
    "--image-gc-low-threshold=90",
    "invalid configuration: imageGCLowThresholdPercent (--image-gc-low-threshold) 90 must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 85"
  ),
  // Removed flags
  badFlag(
    "--container-runtime=remote",
    "--container-runtime: is no flag of kubelet 1.36 any more; containers run by the Container Runtime Interface only"
  ),
  badFlag("--api-servers=http://x:8080", "--api-servers: is no flag of kubelet 1.36 any more; use --kubeconfig"),
  badFlag(
    "--network-plugin=cni",
    "--network-plugin: is no flag of kubelet 1.36 any more; the container runtime configures CNI"
  ),
  badFlag(
    "--allow-privileged",
    "--allow-privileged: is no flag of kubelet 1.36 any more; Pod Security admission decides that"
  ),
  badFlag(
    "--release=1.31 --logtostderr",
    "--logtostderr: is no flag of kubelet 1.31 any more; use --logging-format and the logging of whatever starts the program"
  )
]

const badFiles: ReadonlyArray<BadKubelet> = [
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
  badFile(
    { apiVersion: "kubelet.config.k8s.io/v1alpha1" },
    'apiVersion: found "kubelet.config.k8s.io/v1alpha1", expected kubelet.config.k8s.io/v1beta1'
  ),
  badFile({ maxPod: 5 }, 'maxPod: unknown field; did you mean "maxPods"?'),
  badFile(
    { memorySwap: { swapBehaviour: "NoSwap" } },
    'memorySwap.swapBehaviour: unknown field; did you mean "swapBehavior"?'
  ),
  badFile({ maxPods: "110" }, 'maxPods: found "110", expected a whole number of at most 32 bits'),
  badFile({ maxPods: 4294967296 }, "maxPods: found 4294967296, expected a whole number of at most 32 bits"),
  badFile({ registerNode: "false" }, 'registerNode: found "false", expected true or false'),
  badFile({ syncFrequency: 60 }, "syncFrequency: found 60, expected a duration such as 40s or 5m"),
  badFile(
    { shutdownGracePeriod: "1 minute" },
    'shutdownGracePeriod: found "1 minute", expected a duration such as 40s or 5m'
  ),
  badFile({ evictionHard: { "memory.available": 100 } }, "evictionHard.memory.available: found 100, expected a text"),
  badFile({ evictionHard: "memory.available<100Mi" }, 'evictionHard: found "memory.available<100Mi", expected a map'),
  badFile({ enforceNodeAllocatable: "pods" }, 'enforceNodeAllocatable: found "pods", expected a list'),
  badFile({ allowedUnsafeSysctls: ["a", 1] }, "allowedUnsafeSysctls[1]: found 1, expected a text"),
  badFile({ memorySwap: "LimitedSwap" }, 'memorySwap: found "LimitedSwap", expected an object'),
  badFile({ featureGates: { NodeSwap: "true" } }, 'featureGates.NodeSwap: found "true", expected true or false'),
  badFile({ featureGates: { Nothing: true } }, "featureGates: unrecognized feature gate: Nothing"),
  badFile(
    { reservedMemory: [{ numaNode: 0, limits: { memory: "1gb" } }] },
    'reservedMemory[0].limits.memory: found "1gb", expected a quantity such as 500m or 1Gi'
  ),
  badFile(
    { logging: { verbosity: "high" }, tlsCipherSuites: [1] },
    'tlsCipherSuites[0]: found 1, expected a text\n@/k.yaml: logging.verbosity: found "high", expected a whole number'
  ),
  badConfiguration({ nodeLeaseDurationSeconds: -1 }, "nodeLeaseDurationSeconds must be greater than 0"),
  badConfiguration(
    { systemCgroups: "/s" },
    "systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified"
  ),
  badConfiguration({ healthzPort: 70000 }, "healthzPort (--healthz-port) 70000 must be between 1 and 65535, inclusive"),
  badConfiguration(
    { cpuCFSQuotaPeriod: "200ms" },
    "cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {200ms} requires feature gate CustomCPUCFSQuotaPeriod"
  ),
  badConfiguration(
    { cpuCFSQuotaPeriod: "2s", featureGates: { CustomCPUCFSQuotaPeriod: true } },
    "cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {2s} must be between 1ms and 1sec, inclusive"
  ),
  badConfiguration({ imageMaximumGCAge: "1m" }, "imageMaximumGCAge 1m0s must be greater than imageMinimumGCAge 2m0s"),
  badConfiguration(
    { oomScoreAdj: 1001 },
    "oomScoreAdj (--oom-score-adj) 1001 must be between -1000 and 1000, inclusive"
  ),
  badConfiguration(
    { maxParallelImagePulls: 3, serializeImagePulls: true },
    "maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false"
  ),
  badFile({ registerWithTaints: [{ key: "a b", effect: "NoSchedule" }] }, "invalid taint: {a b  NoSchedule <nil>}"),
  badConfiguration(
    { registerWithTaints: [{ key: "a", effect: "NoExecute", timeAdded: "2026-01-01T00:00:00Z" }] },
    "taint.TimeAdded is not nil"
  ),
  badConfiguration(
    { shutdownGracePeriod: "10s", shutdownGracePeriodCriticalPods: "20s" },
    "shutdownGracePeriodCriticalPods {20s} must be <= shutdownGracePeriod {10s}"
  ),
  badConfiguration(
    { shutdownGracePeriod: "500ms" },
    "shutdownGracePeriod {500ms} must be either zero or otherwise >= 1 sec"
  ),
  badConfiguration(
    { shutdownGracePeriod: "10s", shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 5 }] },
    "Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time"
  ),
  badConfiguration(
    { memorySwap: { swapBehavior: "UnlimitedSwap" } },
    'memorySwap.swapBehavior "UnlimitedSwap" must be one of: "", "LimitedSwap" or "NoSwap"'
  ),
  badConfiguration(
    { crashLoopBackOff: { maxContainerRestartPeriod: "301s" } },
    "CrashLoopBackOff.MaxContainerRestartPeriod (got: 301 seconds) must be set between 1s and 300s"
  ),
  badConfiguration(
    { enforceNodeAllocatable: ["everything"] },
    `option "everything" specified for ${enforceField}. Valid options are "pods", "system-reserved", "system-reserved-compressible", "kube-reserved", "kube-reserved-compressible" or "none"`
  ),
  badConfiguration(
    { cgroupsPerQOS: false },
    `cgroupsPerQOS (--cgroups-per-qos) must be set to true when "pods" contained in ${enforceField}`
  ),
  badConfiguration(
    { hairpinMode: "bridge" },
    'option "bridge" specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"'
  ),
  badConfiguration(
    { memoryThrottlingFactor: 1.5 },
    "memoryThrottlingFactor 1.5 must be greater than 0 and less than or equal to 1.0"
  ),
  badConfiguration({ containerLogMaxFiles: 1 }, "containerLogMaxFiles must be greater than 1"),
  badConfiguration(
    { containerLogMonitorInterval: "2s" },
    "containerLogMonitorInterval must be a positive time duration greater than or equal to 3s"
  ),
  badConfiguration({ podLogsDir: "logs" }, 'pod logs path "logs" must be absolute path'),
  badConfiguration(
    { reservedMemory: [{ numaNode: 0, limits: { cpu: 1 } }] },
    'the limit type "cpu" for NUMA node 0 is not supported, only [memory hugepages-<HugePageSize>] is accepted'
  ),
  badFile({ maxPods: -1, port: 0.5 }, "port: found 0.5, expected a whole number of at most 32 bits"),
  badFile(
    { maxPods: -1, podsPerCore: -2 },
    "[invalid configuration: maxPods (--max-pods) -1 must not be a negative number, invalid configuration: podsPerCore (--pods-per-core) -2 must not be a negative number]"
  ),
  badFile(
    { evictionMinimumReclaim: { "memory.available": "-1" } },
    "negative eviction minimum reclaim specified for memory.available"
  ),
  badFile(
    { showHiddenMetricsForVersion: "1.30" },
    "--show-hidden-metrics-for-version must be omitted or have the value '1.35'. Only the previous minor version is allowed"
  ),
  badFile({ logging: { format: "xml" } }, 'logging.format: Invalid value: "xml": Unsupported log format'),
  badFile(
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

const badFileForRelease = (release: string, fields: Readonly<Record<string, unknown>>, message: string): BadKubelet => [
  `--config=@/k.yaml --release=${release}`,
  `@/k.yaml: ${message}`,
  config(fields)
]

/** Input that the machine does not support: it has 8 CPUs, 32Gi and one NUMA node. */
const badForThisMachine: ReadonlyArray<BadKubelet> = [
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

const badForRelease: ReadonlyArray<BadKubelet> = [
  badFileForRelease(
    "1.26",
    { memorySwap: { swapBehavior: "LimitedSwap" } },
    "invalid configuration: memorySwap.swapBehavior cannot be set when NodeSwap feature flag is disabled"
  ),
  badFileForRelease(
    "1.26",
    { memorySwap: { swapBehavior: "NoSwap" }, featureGates: { NodeSwap: true } },
    'invalid configuration: memorySwap.swapBehavior "NoSwap" must be one of: "", "LimitedSwap" or "UnlimitedSwap"'
  ),
  badFileForRelease(
    "1.31",
    { crashLoopBackOff: { maxContainerRestartPeriod: "60s" } },
    "invalid configuration: FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set"
  ),
  badFileForRelease(
    "1.31",
    { featureGates: { NodeDeclaredFeatures: true } },
    "featureGates: unrecognized feature gate: NodeDeclaredFeatures"
  ),
  badFileForRelease(
    "1.26",
    { topologyManagerPolicyOptions: { "prefer-closest-numa-nodes": "true" } },
    'topology manager policy options map[prefer-closest-numa-nodes:true] require feature gates "TopologyManagerPolicyOptions" enabled'
  )
]

export const badKubelets: ReadonlyArray<BadKubelet> = [...badFlags, ...badFiles, ...badForThisMachine, ...badForRelease]
