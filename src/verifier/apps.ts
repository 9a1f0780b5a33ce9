import { type App, type RunningApp, startApp } from '../app.js'

/** Starts them all, or none. */
export async function startApps(apps: readonly App[]): Promise<readonly RunningApp[]> {
  const running: RunningApp[] = []
  try {
    for (const app of apps) running.push(await startApp(app))
  } catch (error) {
    await stopApps(running)
    throw error
  }
  return running
}

/** Even if one does not close, the others do. */
export async function stopApps(apps: readonly RunningApp[]): Promise<void> {
  await Promise.allSettled(apps.map((app) => app.close()))
}
