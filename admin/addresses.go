package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"relais/address"
	"relais/ingest/ban"
	"relais/internal/folder"
	"relais/internal/system"
	"relais/market"
)

// HasAddresses reports whether a folder has streets of a register of addresses.
func HasAddresses(dir folder.Dir) bool {
	_, err := os.Stat(address.Path(dir))
	return err == nil
}

// addresses reads all of the streets.
func (r *CheckReport) addresses() {
	path := address.Path(r.dir)
	info, err := address.Verify(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	f := File{Path: r.below(path), Bytes: size(path), Kind: "addresses", Detail: addressesText(info)}
	if err != nil {
		f.Detail, f.Problem = "", err.Error()
	}
	r.Files = append(r.Files, f)
}

func addressesText(info address.Info) string {
	return fmt.Sprintf("%s in %s of %s", Number(info.Streets, "street"), Number(info.Communes, "commune"), info.Date)
}

// addresses looks at the streets of addresses, which are not needed.
func (d *doctor) addresses() {
	info, err := address.NewStore(address.Path(d.dir)).Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		d.add(folder.AddressesName, Wrong, fmt.Sprintf("relais ingest --data %s %s FILE", d.dir, ban.Markets[0]), "%v",
			d.dir.OwnerAdvice(err))
	case info.Synthetic:
		d.add(folder.AddressesName, Note, "", "%s, which are synthetic", addressesText(info))
	default:
		d.add(folder.AddressesName, Fine, "", "%s", addressesText(info))
	}
}

// addresses writes the streets of the area.
func (p *packing) addresses(context.Context) error {
	from := address.Path(p.Dir)
	if !HasAddresses(p.Dir) || !p.hasStreets() {
		return nil
	}
	if _, err := address.NewStore(from).Info(); err != nil {
		p.leftOut("addresses: %v", err)
		return nil
	}
	var info address.Info
	staged, err := folder.Stage(address.Path(p.to), func(w io.Writer) (err error) {
		info, err = address.Cut(from, w, p.spec.hasStreet)
		return err
	})
	switch {
	case errors.Is(err, address.ErrDamaged):
		p.leftOut("addresses: %v", err)
		return system.RemoveAll(p.to.AddressesDir())
	case err != nil:
		return err
	case info.Streets == 0:
		staged.Discard()
		return system.RemoveAll(p.to.AddressesDir())
	}
	p.report.Addresses = &info
	return staged.Commit()
}

// hasStreets reports whether the register of addresses is one of the market of the pack.
func (p *packing) hasStreets() bool {
	return p.spec.Market == "" || slices.Contains(ban.Markets, p.spec.Market)
}

// hasStreet reports whether a street is in the pack.
func (s *PackSpec) hasStreet(street *address.Street) bool {
	if s.Disc != nil {
		return inDisc(s.Disc, street.At)
	}
	area := ban.Area(street.Code)
	m, _ := ban.MarketOf(area)
	return m == market.Get(s.Market) && s.inAreas(area)
}
