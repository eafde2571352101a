/** Flags of both controller managers without effect here. Upstream: staging/src/k8s.io/{controller-manager,cloud-provider}/options. */
export const ignoredByManagers: ReadonlyArray<string> = [
  "allow-untagged-cloud",
  "cluster-name",
  "configure-cloud-routes",
  "controller-start-interval",
  "enable-leader-migration",
  "external-cloud-volume-plugin",
  "leader-migration-config",
  "min-resync-period",
  "route-reconciliation-period"
]

/** Flags of controllers that are not supported or cannot be configured. Upstream: cmd/kube-controller-manager/app/options. */
export const ignoredByManager: ReadonlyArray<string> = [
  "attach-detach-reconcile-sync-period",
  "cloud-config",
  "cloud-provider",
  "concurrent-cron-job-syncs",
  "concurrent-daemonset-syncs",
  "concurrent-deployment-syncs",
  "concurrent-endpoint-syncs",
  "concurrent-ephemeralvolume-syncs",
  "concurrent-gc-syncs",
  "concurrent-job-syncs",
  "concurrent-namespace-syncs",
  "concurrent-rc-syncs",
  "concurrent-replicaset-syncs",
  "concurrent-service-endpoint-syncs",
  "concurrent-service-syncs",
  "concurrent-serviceaccount-token-syncs",
  "concurrent-statefulset-syncs",
  "concurrent-ttl-after-finished-syncs",
  "concurrent-validating-admission-policy-status-syncs",
  "disable-attach-detach-reconcile-sync",
  "enable-dynamic-provisioning",
  "enable-hostpath-provisioner",
  "endpoint-updates-batch-period",
  "endpointslice-updates-batch-period",
  "flex-volume-plugin-dir",
  "max-endpoints-per-slice",
  "mirroring-concurrent-service-endpoint-syncs",
  "mirroring-endpointslice-updates-batch-period",
  "mirroring-max-endpoints-per-subset",
  "namespace-sync-period",
  "pv-recycler-increment-timeout-nfs",
  "pv-recycler-minimum-timeout-hostpath",
  "pv-recycler-minimum-timeout-nfs",
  "pv-recycler-pod-template-filepath-hostpath",
  "pv-recycler-pod-template-filepath-nfs",
  "pv-recycler-timeout-increment-hostpath",
  "volume-host-allow-local-loopback",
  "volume-host-cidr-denylist"
]

/** Flags of other controllers of clouds, and of webhooks. Upstream: staging/src/k8s.io/cloud-provider/options. */
export const ignoredByCloudManager: ReadonlyArray<string> = [
  "allocate-node-cidrs",
  "cidr-allocator-type",
  "cluster-cidr",
  "concurrent-service-syncs",
  "node-sync-period",
  "use-service-account-credentials",
  "webhook-bind-address",
  "webhook-cert-dir",
  "webhook-secure-port",
  "webhooks"
]
