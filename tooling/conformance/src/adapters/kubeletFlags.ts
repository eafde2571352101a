import { parseNodeIPs, parseRegisterTaints, validateNodeLabels } from "@rollcall/kubelet/rules"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

const nodeIP = ({ cloudProvider, nodeIP: text }: Json): Json => {
  const parsed = parseNodeIPs(text, cloudProvider)
  return Result.isSuccess(parsed) ? parsed.success : { error: parsed.failure, invalid: [] }
}

const nodeLabels = ({ labels }: Json): Json => {
  const wrong = validateNodeLabels(labels)
  if (wrong === undefined) return { valid: true }
  return wrong.unknown.length > 0
    ? { valid: false, unknown: wrong.unknown }
    : { valid: false, invalid: wrong.invalid.map(([text]) => text) }
}

/** An empty flag is neither valid nor invalid: the recording has only its taints. */
const registerTaints = ({ flag }: Json): Json => {
  const parsed = parseRegisterTaints(flag)
  if (Result.isFailure(parsed)) return { valid: false }
  return flag === "" ? { taints: parsed.success } : { valid: true, taints: parsed.success }
}

export const kubeletFlagAdapters: Adapters = {
  "kubelet/node-ip": ({ given }) => nodeIP(given),
  "kubelet/node-labels": ({ given }) => nodeLabels(given),
  "kubelet/register-taints": ({ given }) => registerTaints(given)
}
