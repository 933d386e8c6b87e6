package main

import "context"

func (b *bench) measurePeers(ctx context.Context) error { return nil }
