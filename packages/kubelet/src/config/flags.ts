import { flagsOf, type KubeletFlag } from "./flagRow.ts"
import { unsupportedFlags } from "./unsupportedFlags.ts"

export type { KubeletFlag } from "./flagRow.ts"
export { unsupportedFlags } from "./unsupportedFlags.ts"

/** The flags that have an effect here. Upstream: cmd/kubelet/app/options/options.go. */
export const honouredFlags: ReadonlyArray<KubeletFlag> = flagsOf(true, [
  ["hostname-override", "text", "", "the node's name (default: the host's)"],
  ["node-ip", "text", "", "the node's address, or one of each family separated by a comma"],
  ["node-labels", "labels", "", "labels to register the node with"],
  ["cloud-provider", "text", "", "external: a cloud controller sets addresses and removes the uninitialized taint"],
  ["provider-id", "text", "providerID", "the cloud's name of the machine"],
  [
    "bootstrap-kubeconfig",
    "text",
    "",
    "a kubeconfig with which the kubelet requests its client certificate, and writes --kubeconfig"
  ],
  ["cert-dir", "text", "", "the folder of the certificates that the kubelet is given", "/var/lib/kubelet/pki"],
  ["rotate-certificates", "boolean", "rotateCertificates", "renew the client certificate before it ends"],
  ["rotate-server-certificates", "boolean", "serverTLSBootstrap", "request a serving certificate, and renew it"],
  ["enable-server", "boolean", "enableServer", "serve the kubelet's API"],
  [
    "enable-debugging-handlers",
    "boolean",
    "enableDebuggingHandlers",
    "serve commands, logs, ports and the configuration of containers and node"
  ],
  ["address", "ip", "address", "the address of the kubelet's server", "0.0.0.0"],
  [
    "client-ca-file",
    "text",
    "authentication.x509.clientCAFile",
    "the CA of client certificates; with it, one kubelet serves its API"
  ],
  ["tls-cert-file", "text", "tlsCertFile", "the serving certificate"],
  ["tls-private-key-file", "text", "tlsPrivateKeyFile", "its key"],
  [
    "anonymous-auth",
    "boolean",
    "authentication.anonymous.enabled",
    "let requests without credentials through to authorization",
    "false"
  ],
  [
    "authentication-token-webhook",
    "boolean",
    "authentication.webhook.enabled",
    "authenticate bearer tokens by TokenReviews",
    "true"
  ],
  [
    "authentication-token-webhook-cache-ttl",
    "duration",
    "authentication.webhook.cacheTTL",
    "how long the answer to a TokenReview counts",
    "2m0s"
  ],
  ["authorization-mode", "text", "authorization.mode", "Webhook or AlwaysAllow", "Webhook"],
  [
    "authorization-webhook-cache-authorized-ttl",
    "duration",
    "authorization.webhook.cacheAuthorizedTTL",
    "how long an allowed access counts",
    "5m0s"
  ],
  [
    "authorization-webhook-cache-unauthorized-ttl",
    "duration",
    "authorization.webhook.cacheUnauthorizedTTL",
    "how long a denied access counts",
    "30s"
  ],
  ["register-node", "boolean", "registerNode", "register the node with the API server", "true"],
  ["register-with-taints", "taints", "registerWithTaints", "taints to register the node with"],
  ["node-status-update-frequency", "duration", "nodeStatusUpdateFrequency", "how often the status is computed", "10s"],
  [
    "node-status-max-images",
    "int32",
    "nodeStatusMaxImages",
    "the limit of images in the node status; -1 for all",
    "50"
  ],
  [
    "enable-controller-attach-detach",
    "boolean",
    "enableControllerAttachDetach",
    "leave attaching volumes to the attach-detach controller",
    "true"
  ],
  ["port", "int32", "port", "the kubelet's port in the node status", "10250"],
  [
    "read-only-port",
    "int32",
    "readOnlyPort",
    "a port for pods, stats, metrics and health without TLS and authentication; 0 for none",
    "0"
  ],
  ["healthz-port", "int32", "healthzPort", "the port of /healthz and /metrics; 0 for none", "10248"],
  ["healthz-bind-address", "ip", "healthzBindAddress", "the address of /healthz and /metrics", "127.0.0.1"],
  ["feature-gates", "gates", "featureGates", "feature gates, added to those of the files"],
  ["max-pods", "int32", "maxPods", "the limit of pods", "110"],
  ["serialize-image-pulls", "boolean", "serializeImagePulls", "pull one image at a time", "true"],
  ["registry-qps", "int32", "registryPullQPS", "the pulls of images per second; 0 for no limit", "5"],
  ["registry-burst", "int32", "registryBurst", "how many pulls may start at once", "10"],
  [
    "image-gc-high-threshold",
    "int32",
    "imageGCHighThresholdPercent",
    "the use of the disk, in percent, from which on unused images are removed",
    "85"
  ],
  [
    "image-gc-low-threshold",
    "int32",
    "imageGCLowThresholdPercent",
    "the use of the disk, in percent, down to which images are removed",
    "80"
  ],
  ["minimum-image-ttl-duration", "duration", "imageMinimumGCAge", "how long an image stays at least", "2m"],
  [
    "image-credential-provider-config",
    "text",
    "",
    "a CredentialProviderConfig, or a folder of them: plugins with credentials for registries"
  ],
  ["image-credential-provider-bin-dir", "text", "", "the folder of these plugins"],
  ["pod-max-pids", "int64", "podPidsLimit", "how many processes a pod may have; -1 for no limit", "-1"],
  ["pods-per-core", "int32", "podsPerCore", "the limit of pods per core; 0 for no limit", "0"],
  ["system-reserved", "pairs", "systemReserved", "resources reserved for the system, subtracted from allocatable"],
  [
    "kube-reserved",
    "pairs",
    "kubeReserved",
    "resources reserved for Kubernetes' programs, subtracted from allocatable"
  ],
  ["reserved-cpus", "text", "reservedSystemCPUs", "CPUs for the system, such as 0-1,8, instead of reserved amounts"],
  [
    "enforce-node-allocatable",
    "texts",
    "enforceNodeAllocatable",
    "the cgroups on which allocatable is enforced",
    "pods"
  ],
  [
    "local-storage-capacity-isolation",
    "boolean",
    "localStorageCapacityIsolation",
    "account for ephemeral storage",
    "true"
  ],
  ["root-dir", "text", "", "the folder of the kubelet's state (--host linux)", "/var/lib/kubelet"],
  ["pod-manifest-path", "text", "staticPodPath", "a static pod's manifest, or a folder of them"],
  ["file-check-frequency", "duration", "fileCheckFrequency", "how often the manifests are read", "20s"],
  ["manifest-url", "text", "staticPodURL", "the URL of static pod manifests"],
  [
    "manifest-url-header",
    "headers",
    "staticPodURLHeader",
    "headers of requests to --manifest-url: name:value, separated by commas"
  ],
  ["http-check-frequency", "duration", "httpCheckFrequency", "how often --manifest-url is read", "20s"],
  ["sync-frequency", "duration", "syncFrequency", "the longest pause between two syncs of a pod", "1m"],
  ["allowed-unsafe-sysctls", "texts", "allowedUnsafeSysctls", "unsafe sysctls that pods may set; may end in *"],
  [
    "container-log-max-size",
    "text",
    "containerLogMaxSize",
    "the size at which the log of a container is rotated",
    "10Mi"
  ],
  ["eviction-hard", "thresholds", "evictionHard", "thresholds that evict pods immediately"],
  ["eviction-soft", "thresholds", "evictionSoft", "thresholds that evict pods after a grace period"],
  ["eviction-soft-grace-period", "pairs", "evictionSoftGracePeriod", "the grace periods of soft thresholds"],
  [
    "eviction-pressure-transition-period",
    "duration",
    "evictionPressureTransitionPeriod",
    "how long a pressure condition outlasts the pressure",
    "5m"
  ],
  [
    "eviction-max-pod-grace-period",
    "int32",
    "evictionMaxPodGracePeriod",
    "the longest grace period, in seconds, of pods evicted for a soft threshold",
    "0"
  ],
  ["eviction-minimum-reclaim", "pairs", "evictionMinimumReclaim", "the least amount to reclaim beyond each threshold"],
  ["fail-swap-on", "boolean", "failSwapOn", "do not start on a machine with swap", "true"],
  [
    "topology-manager-policy",
    "text",
    "topologyManagerPolicy",
    "none, best-effort, restricted or single-numa-node",
    "none"
  ],
  ["topology-manager-scope", "text", "topologyManagerScope", "container or pod", "container"],
  [
    "topology-manager-policy-options",
    "pair",
    "topologyManagerPolicyOptions",
    "options of the topology manager's policy"
  ],
  ["cpu-manager-policy", "text", "cpuManagerPolicy", "none or static", "none"],
  ["cpu-manager-policy-options", "pair", "cpuManagerPolicyOptions", "options of the CPU manager's policy"],
  [
    "cpu-manager-reconcile-period",
    "duration",
    "cpuManagerReconcilePeriod",
    "how often the CPUs of containers are reconciled",
    "10s"
  ],
  ["memory-manager-policy", "text", "memoryManagerPolicy", "None or Static", "None"],
  ["reserved-memory", "reservedMemory", "reservedMemory", "reserved memory of a NUMA node; repeatable"]
])

/** Flags that only early releases have, and that have an effect there. `removedFlags` has the last release of each. */
export const earlierFlags: ReadonlyArray<KubeletFlag> = flagsOf(true, [
  ["low-diskspace-threshold-mb", "int32", "", "free disk space in MB below which the node is OutOfDisk", "256"],
  ["outofdisk-transition-frequency", "duration", "", "the shortest time that the node stays OutOfDisk", "5m"]
])

export const kubeletFlags: ReadonlyArray<KubeletFlag> = [...honouredFlags, ...earlierFlags, ...unsupportedFlags]
