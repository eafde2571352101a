import type { Put } from "./LeaseClient.ts"

const NAMESPACE = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"

/** Renewals of so many Leases in turn, as a kubelet's client sends them; without a resourceVersion, so that none conflicts. */
export const leasePuts =
  (leases: number) =>
  (number: number): Put => {
    const name = `node-${number % leases}`
    const renewTime = `2026-01-01T00:00:00.${String(number % 1_000_000).padStart(6, "0")}Z`
    const metadata = {
      name,
      namespace: "kube-node-lease",
      labels: { round: String(Math.floor(number / leases)) },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: "6a2f41a3-c54c-fce8-32d2-0324e1c32e22" }]
    }
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime }
    const body = JSON.stringify({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec })
    return { path: `${NAMESPACE}/${name}`, body }
  }
