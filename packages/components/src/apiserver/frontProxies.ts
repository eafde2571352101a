import type { SecurityOptions } from "@rollcall/api-server/security"

export type FrontProxies = NonNullable<SecurityOptions["frontProxies"]>

/** The proxies that may say who asks. Upstream: kubeadm's `--requestheader-*` flags. */
export const frontProxiesOf = (authorityPem: string): FrontProxies => ({
  authorityPem,
  allowedNames: ["front-proxy-client"],
  userHeaders: ["X-Remote-User"],
  groupHeaders: ["X-Remote-Group"],
  extraPrefixes: ["X-Remote-Extra-"]
})
