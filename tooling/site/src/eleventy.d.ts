/** The part of Eleventy that the build uses; the package has no types of its own. */
declare module "@11ty/eleventy" {
  interface TransformContext {
    readonly page: { readonly inputPath: string; readonly url: string }
  }

  export interface UserConfig {
    setLibrary(extension: string, library: { render(text: string, env: unknown): string }): void
    setTemplateFormats(formats: ReadonlyArray<string>): void
    addGlobalData(name: string, value: unknown): void
    addTemplate(path: string, content: string, data?: Readonly<Record<string, unknown>>): void
    addTransform(name: string, transform: (this: TransformContext, content: string) => string): void
    setUseGitIgnore(use: boolean): void
    on(event: "eleventy.after", run: () => Promise<void>): void
  }

  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: {
        readonly quietMode: boolean
        readonly runMode: "build" | "serve"
        readonly config: (config: UserConfig) => Readonly<Record<string, unknown>>
      }
    )
    init(): Promise<void>
    write(): Promise<unknown>
    watch(): Promise<void>
    serve(port: number): void
  }
}
