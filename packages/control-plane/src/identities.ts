import type { Identity } from "@rollcall/api-server"

const AUTHENTICATED = "system:authenticated"
const SERVICE_ACCOUNTS = ["system:serviceaccounts", "system:serviceaccounts:kube-system", AUTHENTICATED]
const VERSION = "v1.36.2 (linux/amd64)"

/** The service account of each controller whose account is not named after it. */
const accounts: Readonly<Record<string, string>> = {
  "node-lifecycle-controller": "node-controller",
  "cloud-node-controller": "cloud-controller-manager",
  "cloud-node-lifecycle-controller": "cloud-controller-manager",
  "node-ipam-controller": "node-controller",
  "taint-eviction-controller": "node-controller"
}

/** The users that the parts of a modelled cluster are to its API server. */
export const identities = {
  admin: {
    user: "kubernetes-admin",
    groups: ["kubeadm:cluster-admins", AUTHENTICATED],
    userAgent: `kubectl/${VERSION}`
  },
  /**
   * The administrator while a node is drained: the separate user lets an audit tell these deletions from the
   * administrator's others.
   */
  drainer: {
    user: "kubernetes-admin",
    groups: ["kubeadm:cluster-admins", AUTHENTICATED],
    userAgent: `kubectl/${VERSION} drain`
  },
  observer: { user: "rollcall", groups: ["system:masters", AUTHENTICATED], userAgent: `rollcall/${VERSION}` },
  /** The modelled CSI driver; it has all permissions, because authorization is not what it models. */
  storage: {
    user: "csi.rollcall.dev",
    groups: ["system:masters", AUTHENTICATED],
    userAgent: `csi.rollcall.dev/${VERSION}`
  },
  node: (name: string): Identity => ({
    user: `system:node:${name}`,
    groups: ["system:nodes", AUTHENTICATED],
    userAgent: `kubelet/${VERSION}`
  }),
  component: (name: string): Identity =>
    name.startsWith("kube-scheduler")
      ? { user: "system:kube-scheduler", groups: [AUTHENTICATED], userAgent: `kube-scheduler/${VERSION}` }
      : {
          user: `system:serviceaccount:kube-system:${accounts[name] ?? name}`,
          groups: SERVICE_ACCOUNTS,
          userAgent: `kube-controller-manager/${VERSION}/system:serviceaccount:kube-system:${name}`
        }
} satisfies Record<string, Identity | ((name: string) => Identity)>
