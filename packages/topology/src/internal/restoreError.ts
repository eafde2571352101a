import { type Checkpoint, checkpointDirectory } from "../hints.ts"

/**
 * Returns the kubelet's error for a state file that it cannot use. Upstream: state_checkpoint.go NewCheckpointState.
 */
export const restoreError = (
  cause: string,
  manager: "CPU" | "memory",
  checkpoint: Checkpoint,
  name: string
): string => {
  const file = JSON.stringify(`${checkpointDirectory(checkpoint)}/${name}`)
  const advice = `please drain this node and delete the ${manager} manager checkpoint file ${file} before restarting Kubelet`
  return `could not restore state from checkpoint: ${cause}, ${advice}`
}
