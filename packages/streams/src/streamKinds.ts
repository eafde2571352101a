import type { KubeletPorts, KubeletStream } from "./KubeletStream.ts"

type Body = string | Uint8Array | KubeletStream | KubeletPorts

export const isStream = (body: Body): body is KubeletStream => typeof body === "object" && "open" in body
export const isPorts = (body: Body): body is KubeletPorts => typeof body === "object" && "connect" in body
