import type { Pki } from "@rollcall/pki"

export const programs = ["kubelet", "controller-manager", "scheduler"] as const
export type ProgramName = (typeof programs)[number]

/** Common mistakes in connecting a program to a cluster. */
export const mistakes = [
  "none",
  "wrong token",
  "wrong server",
  "wrong name",
  "unknown authority",
  "expired certificate",
  "wrong clock"
] as const
export type Mistake = (typeof mistakes)[number]

/** The parts from which kubeconfigs are made. */
export interface MistakeSetting {
  readonly pki: Pki
  readonly url: string
  /** A port without a listener. */
  readonly deadPort: number
  /** The PKI of another cluster, and a server of that cluster whose clock is two days ahead. */
  readonly other: { readonly pki: Pki; readonly url: string }
  readonly nowMs: number
}

const DAY_MS = 86_400_000

const users: Readonly<Record<ProgramName, (node: string) => { commonName: string; organizations: Array<string> }>> = {
  kubelet: (node) => ({ commonName: `system:node:${node}`, organizations: ["system:nodes"] }),
  // The role of kube-controller-manager allows lists and watches only: for writes, its controllers need ServiceAccount credentials or an administrator's.
  "controller-manager": () => ({ commonName: "system:kube-controller-manager", organizations: ["system:masters"] }),
  scheduler: () => ({ commonName: "system:kube-scheduler", organizations: [] })
}

const base64 = (pem: string): string => Buffer.from(pem).toString("base64")

/** Returns the kubeconfig of a program with one mistake. A kubelet's wrong name is on its command line instead. */
export const kubeconfigWith = (
  mistake: Mistake,
  program: ProgramName,
  node: string,
  { deadPort, nowMs, other, pki, url }: MistakeSetting
): string => {
  const isMisnamed = mistake === "wrong name" && program !== "kubelet"
  const subject = isMisnamed ? { commonName: `kube-${program}`, organizations: [] } : users[program](node)
  const atMs = mistake === "expired certificate" ? nowMs - 800 * DAY_MS : nowMs
  const { certificatePem, keyPem } = pki.clientCertificate(subject, atMs)
  const user =
    mistake === "wrong token"
      ? { token: "abcdef.0123456789abcdef" }
      : { "client-certificate-data": base64(certificatePem), "client-key-data": base64(keyPem) }
  const server =
    mistake === "wrong server" ? `https://127.0.0.1:${deadPort}` : mistake === "wrong clock" ? other.url : url
  const isForeign = mistake === "unknown authority" || mistake === "wrong clock"
  const authority = isForeign ? other.pki.authorityPem : pki.authorityPem
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": base64(authority) } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c"
  })
}
