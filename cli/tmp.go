package cli

type demoCommand struct{}

func (demoCommand) Run() error { return nil }

type serveCommand struct{}

func (serveCommand) Run() error { return nil }
