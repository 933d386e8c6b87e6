// Types of the map's modules, for tsc. Nobody serves this file.
import type { Map as Renderer } from 'maplibre-gl';

export interface Operator { key: string; label: string; plmns: string[] | null }

export interface Market {
  code: string; label: string; version: string; date: string; source: string; authority: string; synthetic: boolean;
  sites: number; bounds: [number, number, number, number]; operators: Operator[]; systems: string[] | null;
  statuses: string[] | null; changes: boolean; bands: string[]; coverage: CoverageMaps[];
}

/** The official coverage maps of an edition. operators is empty if the source names none. */
export interface CoverageMaps {
  authority: string; source: string; edition: string; synthetic: boolean; operators: string[]; technologies: string[];
}

export type Words = Record<string, string>;

export interface Config {
  markets: Market[]; words: Words; key: boolean; alone: boolean;
  assets: { library: string; base: string; qr: string; ranges?: string; streets?: string; size: number };
  basemap?: string; style?: string; start?: Point;
  /** The page comes from the service worker: the server is silent. */
  kept?: boolean;
}

export interface Point { lng: number; lat: number }

export interface State {
  operators: string[]; generations: string[]; bands: string[]; status: string; together: boolean; changed: boolean;
  /** site, from and at are what the card is about: the first that is set. */
  layers: string[]; site: string; from: Point | null; at: Point | null;
}

/** What is in sight: the middle, and west, south, east, north. */
export interface View extends Point { zoom: number; box: [number, number, number, number] }

export interface App {
  config: Config; words: Words; markets: Market[]; state: State;
  /** The renderer, null where the browser has no WebGL2. */
  map: Renderer | null;
  view(): View;
  /** The market in sight with most sites. */
  market(): Market;
  /** The markets in sight, that with most sites first. */
  inSight(): Market[];
  marketOf(key: string): Market | undefined;
  set(change: Partial<State>): void;
  go(place: Point & { zoom?: number }): void;
  tell(text: string, again?: () => void): void;
  announce(text: string): void;
}

declare global {
  /** What the service worker keeps of the program. */
  const build: { hash: string; base: string; page: string; files: string[] };
}

/** A site as the tiles have it. */
export interface Mark extends Point { key: string; market: Market; ops: number; live: number; gen: number }

export interface Sector { azimuth: number; ops: number }
