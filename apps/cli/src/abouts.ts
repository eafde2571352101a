import type { ComponentName } from "@rollcall/components"

/** What the components of a live cluster are, by their commands. */
export const abouts: Readonly<Record<ComponentName, string>> = {
  up: "Bring up a live cluster in this process: API server, controllers, scheduler, modelled nodes.",
  apiserver: "Serve the Kubernetes API on a store in one file: kube-apiserver.",
  "controller-manager": "Run the controllers against a cluster: kube-controller-manager.",
  "cloud-controller-manager": "Run the controllers of a modelled cloud against a cluster: cloud-controller-manager.",
  scheduler: "Place the pods of a cluster: kube-scheduler.",
  kubelet: "Run one kubelet on a modelled machine, or a fleet of them.",
  fault: "Let something happen to the nodes of a live cluster, and end it.",
  nodes: "Add modelled nodes to a live cluster, or take some away."
}

/** The commands of kubectl that there are. */
export const kubectlAbouts: Readonly<Record<string, string>> = {
  get: "Print objects as kubectl prints them.",
  describe: "Tell all about objects, with their events.",
  cordon: "Mark nodes as unschedulable.",
  uncordon: "Mark nodes as schedulable.",
  drain: "Evict the pods of nodes, as their budgets allow.",
  taint: "Change the taints of nodes.",
  label: "Change labels.",
  annotate: "Change annotations.",
  apply: "Make objects what files say.",
  delete: "Delete objects.",
  scale: "Change how many replicas are wanted."
}
