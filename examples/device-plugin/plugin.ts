// A device plugin with two devices, one of which breaks after a minute: node examples/device-plugin/plugin.ts FOLDER
import { serveDevicePlugin } from "@rollcall/linux/sockets"
import { Console, Effect, Stream } from "effect"

const [folder = "/var/lib/kubelet/device-plugins"] = process.argv.slice(2)

const devices = (isWhole: boolean) => [
  { id: "sundial-0", healthy: true, numaNodes: [] },
  { id: "sundial-1", healthy: isWhole, numaNodes: [] }
]

const plugin = Effect.gen(function* () {
  yield* serveDevicePlugin(folder, {
    resource: "example.com/sundial",
    endpoint: "sundial.sock",
    devices: Stream.concat(
      Stream.succeed(devices(true)),
      Stream.concat(Stream.fromEffect(Effect.as(Effect.sleep("1 minute"), devices(false))), Stream.never)
    ),
    allocate: (ids) => {
      console.log(`a container starts with ${ids.join(", ")}`)
      return { envs: { SUNDIALS: ids.join(",") } }
    }
  })
  yield* Console.log(`registered in ${folder}`)
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(plugin))
