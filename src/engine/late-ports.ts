/** What few tasks use, loaded with the first call that needs it, and let go of with the task: a browser, the index of the code, images. */
import { codeIndexFile } from "../code-index/place.ts"
import type { ImagePort } from "../tools/generate-image.ts"
import type { BrowserPort } from "../types/browser.ts"
import type { CodeSearch } from "../types/code-search.ts"
import { once } from "./late-stations.ts"
import type { Project } from "./load-project.ts"
import type { TaskToolParts } from "./task-tools.ts"

type Parts = Pick<TaskToolParts, "project" | "withheld" | "host" | "onClose">

export function lateBrowser({ project, withheld, onClose }: Parts): Pick<BrowserPort, "act" | "address"> {
  let opened: BrowserPort | undefined
  const open = once(async () => {
    const { openBrowser } = await import("../host/browser.ts")
    const browser = openBrowser({ withheld, allowPrivate: project().settings.webFetch.allowPrivate })
    opened = browser
    onClose(browser.close)
    return browser
  })
  return {
    act: async (action, options) => (await open()).act(action, options),
    address: () => opened?.address(),
  }
}

export function lateCodeSearch({ project, host, onClose }: Parts): CodeSearch {
  const open = once(async () => {
    const { openCodeIndex } = await import("../code-index/code-index.ts")
    const { home, workspace } = project().sources
    const { maxFiles: mostFiles } = project().settings.codeIndex
    const index = openCodeIndex({ host, file: codeIndexFile(home, workspace), mostFiles })
    onClose(index.close)
    return index
  })
  return { search: async (words, options) => (await open()).search(words, options) }
}

/** By what the settings say at that moment: they may have changed since the last image. */
export function lateImages(project: () => Project): Pick<ImagePort, "make"> {
  return {
    async make(wish, signal) {
      const { imageMaker } = await import("../providers/image.ts")
      const { settings, sources } = project()
      return imageMaker(settings.imageModel, sources.env, { caFile: settings.caFile }).make(wish, signal)
    },
  }
}
