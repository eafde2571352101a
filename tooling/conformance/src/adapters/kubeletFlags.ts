import { parseNodeIPs, parseRegisterTaints, validateNodeLabels } from "@rollcall/kubelet/rules"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

const nodeIP = ({ cloudProvider, nodeIP: text }: Json): Json => {
  const parsed = parseNodeIPs(text, cloudProvider)
  return Result.isSuccess(parsed) ? parsed.success : { error: parsed.failure, invalid: [] }
}

const nodeLabels = ({ labels }: Json): Json => {
  const errors = validateNodeLabels(labels)
  if (errors === undefined) return { valid: true }
  return errors.unknown.length > 0
    ? { valid: false, unknown: errors.unknown }
    : { valid: false, invalid: errors.invalid.map(([text]) => text) }
}

/** Parses `--register-with-taints`. For an empty flag the vectors have only the taints, so `valid` is absent. */
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
